#!/usr/bin/env python3
# test_headers.py: any set of headers in any order gives the same features, in C and C++; two
# versions are refused; the implementation may be asked for late; PADIC_SPLIT compiles parts.
# With REST=1 what this leaves out: implementations with each other header first.
import concurrent.futures
import itertools
import os
import re
import shutil

import support as t

CC = t.compilers('gcc')
if not CC:
    t.finish('test_headers')
HEADERS = ['padic.h'] + ['backends/padic_%s.h' % name for name in t.BACKENDS]
REST = bool(os.environ.get('REST'))
QUICK = t.families()[2]


def include(*headers, root=t.ROOT):
    return ''.join('#include "%s/%s"\n' % (root, header) for header in headers)


# Declarations, every ordered pair, and each alone; one folder and two.
flat = t.copy_of_padic('flat', *t.BACKENDS)
pairs = list(itertools.permutations(HEADERS, 2)) + [(h, h) for h in HEADERS]
for a, b in [] if REST else pairs:
    text = include(a, b)
    use = ('int main(void) { padic_stats s; padic_context_stats(0, &s); '
           'return PADIC_OP_COUNT == 0; }\n')
    for name, command in (('pair.c', ['gcc', '-std=c99']), ('pair.cpp', ['g++', '-std=c++11'])):
        code, said = t.run(*command, *t.WARNINGS, '-fsyntax-only', t.write(name, text + use))
        t.expect('%s then %s, %s' % (a, b, command[-1]), code == 0, said)
for name in () if REST else t.BACKENDS:
    source = t.write('flat.c', '#include "%s/padic_%s.h"\n'
                     'int main(void) { return PADIC_OP_COUNT == 0; }\n' % (flat, name))
    code, said = t.run('gcc', '-std=c99', *t.WARNINGS, '-fsyntax-only', source)
    t.expect('padic_%s.h in one folder with padic.h' % name, code == 0, said)
    lonely = os.path.join(t.scratch, 'lonely')
    os.makedirs(lonely, exist_ok=True)
    shutil.copy(os.path.join(flat, 'padic_%s.h' % name), lonely)
    source = t.write('lonely.c', '#include "%s/padic_%s.h"\n' % (lonely, name))
    code, said = t.run('gcc', '-fsyntax-only', source)
    t.expect('padic_%s.h says that it needs padic.h' % name,
             code != 0 and 'needs padic.h beside it' in said, said)
    os.remove(os.path.join(lonely, 'padic_%s.h' % name))

MAIN = '''
#include <stdio.h>
int main(void) { printf("%016llx\\n", (unsigned long long)padic_self_hash()); return 0; }
'''


def build(name, text, *flags):
    """Compiles; (hash, features, what was said). Features are the functions that are there."""
    source, program = t.write(name + '.c', text), os.path.join(t.scratch, name)
    code, said = t.run(QUICK if REST else 'gcc', '-O0', *flags, source, '-o', program,
                       '-lm', '-lpthread', '-ldl')
    if code:
        return None, None, said
    symbols = {re.sub(r'\\.\\d+$', '', line.split()[-1])
               for line in t.run('nm', '--defined-only', program)[1].split('\n')
               if ' padic' in line and '__func__' not in line}
    return t.run(program)[1], symbols, said


EVERYDAY = 'backends/padic_simd.h'
first = [h for h in HEADERS if (h != EVERYDAY) == REST]
jobs = {'late': include(*HEADERS) + '#define PADIC_IMPLEMENTATION\n' + include(*HEADERS[::-1]) +
        MAIN}
for header in first:
    rest = [h for h in HEADERS if h != header]
    jobs['first_' + re.sub(r'\W', '_', header)] = \
        '#define PADIC_IMPLEMENTATION\n' + include(header, *rest) + MAIN
with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', '2'))) as pool:
    results = dict(zip(jobs, pool.map(lambda item: build(*item), jobs.items())))
wanted = results['late']
for name, (value, symbols, said) in results.items():
    t.expect('implementation, ' + name, value is not None and len(value) == 17, said)
    t.expect('the same functions, ' + name, symbols == wanted[1],
             str(sorted((symbols or set()) ^ (wanted[1] or set()))[:20]))
    t.expect('the same hash, ' + name, value == wanted[0], '%s, wanted %s' % (value, wanted[0]))
if REST:
    t.finish('test_headers')

# Two versions in one unit, and across units.
other = os.path.join(t.scratch, 'other')
shutil.copytree(flat, other)
with open(os.path.join(other, 'padic.h')) as file:
    text = file.read()
changed = re.sub(r'(PADIC_TEXT(?: !=)? )0x\w+', r'\g<1>0x12345678', text)
changed = re.sub(r'(PADIC_LAYOUT )0x\w+', r'\g<1>0x12345678', changed)
changed = changed.replace('PADIC_VERSION "0.1.0"', 'PADIC_VERSION "0.9.9"')
with open(os.path.join(other, 'padic.h'), 'w') as file:
    file.write(changed)
for a, b in ((flat, other), (other, flat)):
    source = t.write('mixed.c', '#include "%s/padic.h"\n#include "%s/padic.h"\n' % (a, b))
    code, said = t.run('gcc', '-fsyntax-only', source)
    t.expect('two versions in one unit', code != 0 and 'two versions of padic.h' in said, said)
for name in ('simd', 'opencl', 'cuda'):
    source = t.write('mixed.c', '#include "%s/padic_%s.h"\n' % (other, name))
    code, said = t.run('gcc', '-fsyntax-only', source)
    t.expect('padic_%s.h with another padic.h' % name,
             code != 0 and 'different versions' in said, said)
user = '''#include "%s/padic.h"
#include <stdio.h>
static void say(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)level;
    (void)item;
    (void)user;
    puts(text);
}
int main(void)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = (padic_context *)&desc;
    desc.log.write = say;
    return padic_context_create(&desc, &context) == PADIC_ERROR_VERSION && !context ? 0 : 1;
}
''' % other
impl = t.write('impl.c', '#define PADIC_IMPLEMENTATION\n#define PADIC_ONLY_SAMPLE\n'
               '#include "%s/padic.h"\n' % flat)
program = os.path.join(t.scratch, 'versions')
code, said = t.run('gcc', '-O0', t.write('user.c', user), impl, '-o', program, '-lm')
t.expect('a unit of another version links', code == 0, said)
if code == 0:
    code, said = t.run(program)
    t.expect('a unit of another version is refused with both versions',
             code == 0 and '0.9.9' in said and '0.1.0' in said, said)

# Parts.
PARTS = ['CORE'] + list(t.AREAS) + ['SIMD', 'GPU', 'OPENCL', 'CUDA', 'THREADS', 'CACHE', 'NULL']


def part(name):
    header = 'padic.h' if name in ('CORE',) + t.AREAS else \
        'backends/padic_%s.h' % (name.lower() if name != 'GPU' else 'opencl')
    source = t.write('part_%s.c' % name, '#define PADIC_SPLIT\n#define PADIC_IMPLEMENT_%s\n' % name
                     + include(header))
    out = source[:-2] + '.o'
    code, said = t.run('gcc', '-std=c99', '-O0', *t.WARNINGS, '-c', source, '-o', out)
    return name, out, code, said


with concurrent.futures.ThreadPoolExecutor(int(os.environ.get('JOBS', '2'))) as pool:
    parts = list(pool.map(part, PARTS))
for name, out, code, said in parts:
    t.expect('part ' + name, code == 0, said)
user = t.write('split_user.c', '#define PADIC_SPLIT\n' + include(*HEADERS) + MAIN)
program = os.path.join(t.scratch, 'split')
code, said = t.run('gcc', '-O0', user, *[out for _, out, _, _ in parts], '-o', program, '-lm',
                   '-lpthread', '-ldl')
t.expect('the parts link', code == 0, said)
if code == 0:
    t.expect('the parts have the same hash', t.run(program)[1] == wanted[0], '')
    code, said = t.run('gcc', '-shared', '-fPIC', '-O0', *[p[1] for p in parts[:1]], '-o',
                       program + '.so')
    hidden = [line for line in t.run('nm', parts[2][1])[1].split('\n') if ' T padici_' in line]
    code, said = t.run('readelf', '-sW', parts[2][1])
    shown = [line for line in said.split('\n') if 'padici_' in line and ' GLOBAL DEFAULT ' in line
             and ' UND ' not in line]
    t.expect('functions between parts are hidden', hidden and not shown, '\n'.join(shown[:5]))
t.finish('test_headers')
