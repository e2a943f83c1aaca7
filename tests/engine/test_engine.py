#!/usr/bin/env python3
# test_engine.py: padic.h inside an engine's build: the tree beside this file, by make and by CMake,
# each variant built, run and of the same hash; one program of every area in C and C++. The rest of
# the compilers and languages with FULL=1.
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'headers'))
import support as t  # noqa: E402

FULL = bool(os.environ.get('FULL'))
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror']
CC = t.compilers('gcc', 'clang')
TCC = t.compilers('tcc')
CXX = {'gcc': 'g++'}
CXX.update({name: name.replace('clang', 'clang++') for name in CC if name.startswith('clang')})
CC = [name for name in CC if shutil.which(CXX[name])]
if not CC or not shutil.which('make'):
    t.skip('all', 'no make, or no C and C++ compiler of one family')
    t.finish('test_engine')
QUICK = CC[-1]  # the one that needs the least time
hashes = {}

def say(program, name, *libraries):
    """Runs a program of one line and keeps its hash."""
    code, said = t.run(program)
    line = re.match(r'([\w+]+): fine, hash ([0-9a-f]{16})\n$', said)
    t.expect(name + ' runs', code == 0 and line, 'exit %d\n%s' % (code, said))
    if line:
        hashes[name] = line.group(2)


# ---- The tree.
def tree(folder):
    """A copy of the engine, all headers flat in third_party/."""
    to = os.path.join(t.scratch, folder)
    shutil.copytree(os.path.join(HERE, 'tree'), to)
    t.copy_of_padic(folder + '/third_party', *t.BACKENDS)
    return to


def make(at, cc, what):
    folder = 'build-' + cc
    code, said = t.run('make', '-s', '-j2', '-C', at, 'CC=' + cc, 'CXX=' + CXX[cc], 'O=' + folder,
                       folder + '/' + what)
    t.expect('%s by make with %s' % (what, cc), code == 0, said)
    if code == 0:
        say(os.path.join(at, folder, what), '%s %s' % (what, cc))
    return os.path.join(at, folder)


def exported(library):
    code, said = t.run('nm', '-D', '--defined-only', library)
    return set(re.findall(r' [A-Z] (\w+)', said))


at = tree('tree')
EVERYDAY = {'game': CC[0], 'split': CC[0], 'plugin': CC[0], 'unity': QUICK, 'static': QUICK,
            'only_codec': QUICK}
for what, everyday in EVERYDAY.items():
    for cc in CC if FULL else [everyday]:
        built = make(at, cc, what)
        if what == 'plugin':
            shown = exported(os.path.join(built, 'libstudio.so'))
            t.expect('a hidden library shows its own symbols only', shown == {'studio_plugin'},
                     ' '.join(sorted(shown)))

# PADIC_API given by the engine: shown from a library that hides the rest; and empty.
for name, api in (('shown', 'extern __attribute__((visibility("default")))'), ('empty', '')):
    out = os.path.join(t.scratch, 'api_%s.so' % name)
    source = t.write('api_%s.c' % name, '#define PADIC_API %s\n#define PADIC_ONLY_CODEC\n'
                     '#define PADIC_IMPLEMENTATION\n#include "padic.h"\n' % api)
    code, said = t.run(QUICK, '-std=c99', '-O0', '-fPIC', '-shared', '-fvisibility=hidden', *STRICT,
                       '-I', os.path.join(at, 'third_party'), source, '-o', out,
                       '-lm')
    t.expect('a library with PADIC_API %s' % name, code == 0, said)
    if code == 0:
        shown = exported(out)
        other = sorted(word for word in shown if not word.startswith('padic_'))
        t.expect('PADIC_API %s shows what it says' % name,
                 not other and ('padic_codec_pack' in shown) == (name == 'shown'), ' '.join(other))

if shutil.which('cmake'):
    built = os.path.join(at, 'cmake')
    code, said = t.run('cmake', '-S', at, '-B', built, '-DCMAKE_C_COMPILER=' + QUICK,
                       '-DCMAKE_CXX_COMPILER=' + CXX[QUICK], '-DCMAKE_BUILD_TYPE=')
    t.expect('cmake', code == 0, said)
    for what in ['game'] + (['unity_cmake', 'plugin'] if FULL else []):
        code, said = t.run('cmake', '--build', built, '--target', what)
        t.expect(what + ' by cmake', code == 0, said)
        if code == 0:
            say(os.path.join(built, what), what + ' cmake')
else:
    t.skip('the tree by CMake', 'cmake is not installed')

# ---- One file beside padic.h.
at = t.copy_of_padic('alone')
for suffix in ('c', 'cpp'):
    shutil.copy(os.path.join(HERE, 'every_area.c'), os.path.join(at, 'every_area.' + suffix))
alone = [(cc, 'c99', 'c', True) for cc in CC] + [(cc, '', 'c', True) for cc in TCC]
for std in ('c++11', 'c++14', 'c++17', 'c++20'):
    alone += [(CXX[cc], std, 'cpp', FULL or std == 'c++11') for cc in CC
              if FULL or (cc == CC[0] and std in ('c++11', 'c++20'))]
for cc, std, suffix, whole in alone:
    name = ' '.join(word for word in ('every_area', cc, std) if word)
    command = [cc] + (['-std=' + std] if std else []) + ['-O0', *STRICT]
    command += ['every_area.' + suffix]
    command += ['-o', 'every_area', '-lm'] if whole else ['-fsyntax-only']
    code, said = t.run(*command, cwd=at)
    t.expect(name, code == 0, said)
    if whole and code == 0:
        say(os.path.join(at, 'every_area'), name)


# ---- Users who do odd things. Whole programs here are compiled by tcc where it is installed.
inc = t.copy_of_padic('odd', *t.BACKENDS)
LIGHT = TCC[0] if TCC else QUICK
IMPLEMENT = '#define PADIC_IMPLEMENTATION\n'
HERE_IT_IS = '#include "padic.h"\n'
EVERY = HERE_IT_IS + ''.join('#include "padic_%s.h"\n' % name for name in t.BACKENDS)
NOTHING = 'int main(void) { return 0; }\n'
MAIN = """#include <stdio.h>
int main(void) { printf("odd: fine, hash %016llx\\n", (unsigned long long)padic_self_hash());
return 0; }
"""


def looks(name, text, *command, wrong=None, folder='odd', suffix='c', quiet=True):
    """Only compiled: without a word, or (wrong) refused with these words."""
    source = t.write('%s/looks.%s' % (folder, suffix), text)
    code, said = t.run(*command, '-fsyntax-only', source)
    if wrong is None:
        t.expect(name, code == 0 and not (quiet and said), said)
    else:
        t.expect(name, code != 0 and wrong in said, said)


def whole(name, text, *flags, cc=LIGHT, has=True):
    """Built and run; has: of the hash of all."""
    source, out = t.write('odd/whole.c', text), os.path.join(inc, 'whole')
    code, said = t.run(cc, *flags, source, '-o', out, '-lm', '-lpthread', '-ldl')
    t.expect(name, code == 0, said)
    if code == 0 and has:
        say(out, name)
    elif code == 0:
        code, said = t.run(out)
        t.expect(name + ' runs', code == 0, 'exit %d\n%s' % (code, said))


# Words that others define.
colliding = '#include "%s/hostile.h"\n' % HERE + IMPLEMENT + EVERY
looks('colliding macros', colliding, CC[0], '-std=c99', *STRICT)
if FULL:
    for cc in CC:
        for flag in ('-DSTUDIO_COMPLEX', '-DSTUDIO_TGMATH'):
            looks('colliding macros %s %s' % (cc, flag), colliding, cc, '-std=c99', *STRICT,
                  flag)
        looks('colliding macros ' + CXX[cc], colliding, CXX[cc], '-std=c++17', *STRICT,
              suffix='cpp')

# PADIC_IMPLEMENTATION late, twice, gone in between, with a backend only.
whole('late', HERE_IT_IS + IMPLEMENT + HERE_IT_IS + MAIN)
whole('twice', (IMPLEMENT + HERE_IT_IS) * 2 + HERE_IT_IS + MAIN)
whole('both ways', '#define PADIC_SPLIT\n' + IMPLEMENT + HERE_IT_IS + MAIN)
looks('a backend brings all', IMPLEMENT + '#include "padic_threads.h"\n' + NOTHING, QUICK, *STRICT)
looks('backend, then late', '#include "padic_null.h"\n' + IMPLEMENT + '#include "padic_null.h"\n'
      + NOTHING, QUICK, *STRICT)
looks('late by a backend only', HERE_IT_IS + IMPLEMENT + '#include "padic_null.h"\n' + MAIN, QUICK,
      *STRICT)
whole('gone in between', IMPLEMENT + HERE_IT_IS + '#undef PADIC_IMPLEMENTATION\n' + EVERY + MAIN)

# Switches.
for area in t.AREAS:
    whole('without ' + area, '#define PADIC_NO_%s\n' % area + IMPLEMENT + HERE_IT_IS + MAIN,
          has=area != 'CODEC')
    whole('only ' + area, '#define PADIC_ONLY_%s\n' % area + IMPLEMENT + HERE_IT_IS + MAIN,
          has=area == 'CODEC')
for odd in ('ONLY_CODEC NO_CODEC', 'ONLY_SPARSE NO_NUM', 'ONLY_WAVE ONLY_NUM NO_INT128'):
    whole('odd set ' + odd, ''.join('#define PADIC_%s\n' % word for word in odd.split())
          + IMPLEMENT + HERE_IT_IS + MAIN, has=False)
for part in ('CORE',) + t.AREAS:
    for odd in ('ONLY_CODEC', 'NO_CODEC', 'ONLY_SPARSE', 'NO_NUM'):
        code, said = t.run(LIGHT, '-Wall', '-DPADIC_SPLIT', '-DPADIC_IMPLEMENT_' + part,
                           '-DPADIC_' + odd, '-c', t.write('odd/part.c', HERE_IT_IS), '-o',
                           os.path.join(inc, 'part.o')) if TCC or FULL else (0, '')
        t.expect('part %s with %s' % (part, odd), code == 0, said)

# Calls of what is switched off.
OFF = ('#define PADIC_NO_TENSOR\n' + HERE_IT_IS + 'int f(void) { padic_tensor_svd_desc d = '
       'PADIC_ZERO; if (0) return (int)padic_tensor_svd(NULL, &d); return 0; }\n')
for cc, suffix in ((CC[0], 'c'), (CXX[CC[0]], 'cpp'), (CXX[QUICK], 'cpp')):
    looks('a dead call of what is off, ' + cc, OFF, cc, suffix=suffix,
          wrong='padic_tensor_svd_is_switched_off_by_PADIC_NO_TENSOR')
looks('::a call of what is off', OFF.replace('(int)padic', '(int)::padic'), CXX[CC[0]],
      suffix='cpp', wrong='padic_tensor_svd_is_switched_off_by_PADIC_NO_TENSOR')
looks('types of what is off stay', OFF.replace('padic_tensor_svd(NULL, &d)', '(d.info != NULL)'),
      CC[0], *STRICT)

# Folders: padic.h above, beside, with a space; a wrapper of that name; two copies in one unit.
os.makedirs(os.path.join(t.scratch, 'odd/of/padic/a b/backends'))
for name in ('padic.h', 'backends/padic_null.h', 'backends/padic_threads.h'):
    shutil.copy(os.path.join(t.ROOT, name), os.path.join(t.scratch, 'odd/of/padic/a b', name))
for name, text in (
        ('from a folder of its own', '#include <a b/backends/padic_null.h>\n'),
        ('two copies in one unit', '#include "padic.h"\n#include <a b/backends/padic_threads.h>\n'),
        ('the other copy first', '#include <a b/padic.h>\n#include "padic_threads.h"\n')):
    looks(name, IMPLEMENT + text + NOTHING, QUICK, *STRICT, '-I',
          os.path.join(t.scratch, 'odd/of/padic'))
t.write('wrapped/padic.h', '#ifndef OURS\n#define OURS\n#define PADIC_NO_WAVE\n'
        '#include "../odd/of/padic/a b/padic.h"\n#endif\n')
for order in ('padic.h', '../odd/of/padic/a b/backends/padic_null.h'), \
             ('../odd/of/padic/a b/backends/padic_null.h', 'padic.h'):
    looks('a wrapper of the same name, %s first' % order[0][-12:],
          IMPLEMENT + ''.join('#include "%s"\n' % name for name in order) + NOTHING, QUICK, *STRICT,
                  '-I', os.path.join(t.scratch, 'wrapped'), folder='wrapped')

# C++: inside a namespace, inside extern "C"; languages that the everyday builds lack.
CALL = 'int main() { %spadic_codec_desc d = PADIC_ZERO; return (int)padic_codec_bound(&d); }\n'
source = t.write('odd/named.cpp', '#include <cstddef>\n#include <cstdint>\nnamespace studio {\n'
                 + HERE_IT_IS + '}\n' + CALL % 'using namespace studio; ')
built = os.path.join(t.scratch, 'tree/build-%s/padic_impl.o' % CC[0])
code, said = t.run(CXX[CC[0]], '-std=c++17', *STRICT, source, built, '-o',
                   os.path.join(inc, 'named'), '-lm', '-lpthread')
t.expect('declarations inside a namespace', code == 0 and not t.run(os.path.join(inc, 'named'))[0],
         said)
looks('inside extern "C"', 'extern "C" {\n' + IMPLEMENT + HERE_IT_IS + '}\n' + CALL % '',
      CXX[QUICK], *STRICT, suffix='cpp')
for cc, std, suffix in ((CXX[CC[0]], 'c++23', 'cpp'), (CC[0], 'c2x', 'c'), (CC[0], 'gnu17', 'c'),
                        (CXX[QUICK], 'c++20', 'cpp')):
    looks('declarations in ' + std, EVERY + CALL.replace('()', '(void)', 1) % '', cc,
          '-std=' + std, *STRICT, suffix=suffix)
if 'clang' in QUICK:
    looks('declarations in Objective-C++', EVERY + CALL % '', CXX[QUICK], *STRICT, suffix='mm')

# Every warning there is: none in the declarations; none where padic.h is of the system.
USE = ('#include <padic.h>\nint main(void) { padic_wave_superpose_desc d = PADIC_ZERO; '
       'd.tolerance = 1;\nreturn padic_wave_superpose(NULL, &d) == PADIC_OK; }\n')
GCC_ALL = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wsign-conversion', '-Wshadow',
           '-Wundef', '-Wcast-qual', '-Wcast-align', '-Wformat=2', '-Wredundant-decls',
           '-Wswitch-enum', '-Wswitch-default', '-Wfloat-equal', '-Wdouble-promotion']
GCC_C = ['-Wstrict-prototypes', '-Wmissing-prototypes', '-Wnested-externs', '-Wc++-compat']
GCC_CXX = ['-Wold-style-cast', '-Wuseless-cast', '-Wzero-as-null-pointer-constant', '-Wextra-semi',
           '-Weffc++']
CLANG_ALL = ['-Weverything', '-Wno-padded', '-Wno-unknown-warning-option',
             '-Wno-unsafe-buffer-usage', '-Wno-c++98-compat']
for cc in CC:
    of_c, of_cxx = (CLANG_ALL, CLANG_ALL) if 'clang' in cc else (GCC_ALL + GCC_C, GCC_ALL + GCC_CXX)
    for way in ('-I', '-isystem'):
        looks('all warnings, %s %s' % (cc, way), USE, cc, '-std=c99', *of_c, way, inc, folder='all')
        looks('all warnings, %s %s' % (CXX[cc], way), USE.replace('(NULL', '(nullptr'), CXX[cc],
              '-std=c++17', *of_cxx, way, inc, folder='all', suffix='cpp')
    if FULL or cc == QUICK:
        looks('all warnings, implemented, %s -isystem' % cc, IMPLEMENT + USE, cc, '-std=c99', *of_c,
              '-isystem', inc, folder='all')

# Compilers' switches.
for flag, wrong in (('-ffast-math', 'without -ffast-math'), ('-mfpmath=387', 'x87')):
    source = IMPLEMENT + HERE_IT_IS + NOTHING
    if flag == '-mfpmath=387' and (CC[0] != 'gcc' or os.uname().machine != 'x86_64'):
        t.skip(flag, 'not of this compiler or machine')
    else:
        looks(flag + ' is refused', source, CC[0], flag, wrong=wrong)
looks('-ffreestanding', IMPLEMENT + HERE_IT_IS + NOTHING, QUICK, '-ffreestanding', *STRICT)
code, said = t.run(CC[0], '-m32', '-c', t.write('odd/small.c', '#include <stdint.h>\n' + NOTHING),
                   '-o', os.path.join(inc, 'small.o'))
if code:
    t.skip('-m32', 'no 32-bit headers')
else:
    looks('32 bits', IMPLEMENT + HERE_IT_IS + NOTHING, CC[0], '-m32', '-msse2', '-mfpmath=sse',
          *STRICT)
out = os.path.join(inc, 'bare.o')
code, said = t.run(QUICK, '-O0', '-DPADIC_NO_MALLOC', '-c',
                   t.write('odd/bare.c', IMPLEMENT + HERE_IT_IS), '-o', out)
code, said = t.run('nm', '-u', out) if code == 0 else (code, said)
wanted = set(re.findall(r'U (\w+)', said)) & {'malloc', 'calloc', 'realloc', 'free', 'printf',
                                              'fprintf', 'puts', 'fopen', 'abort', 'exit',
                                              'pthread_create', '__assert_fail'}
t.expect('PADIC_NO_MALLOC takes no memory', code == 0 and not wanted, said)

# A file that was compiled with another layout of the types.
layout = re.search(r'#define PADIC_LAYOUT (\w+)', open(os.path.join(t.ROOT, 'padic.h')).read())
t.write('layout/padic.h', open(os.path.join(t.ROOT, 'padic.h')).read().replace(
    layout.group(0), '#define PADIC_LAYOUT 0x12345678u'))
source = t.write('layout/user.c', HERE_IT_IS + 'int main(void) { padic_context *c; return '
                 'padic_context_create(NULL, &c) == PADIC_ERROR_VERSION && !c ? 0 : 1; }\n')
code, said = t.run(CC[0], source, built, '-o', os.path.join(inc, 'layout'), '-lm', '-lpthread')
t.expect('another layout is refused', code == 0 and not t.run(os.path.join(inc, 'layout'))[0], said)


# Every function with nothing, and with a desc of zeros: an error or a 0, and the program goes on.
def calls():
    text = open(os.path.join(t.ROOT, 'padic.h')).read()
    text = re.sub(r'//[^\n]*', '', text[:text.index('// A call of an area that is switched off')])
    for name, words in re.findall(r'PADIC_API\s+[\w\s*]+?(padic_\w+)\(([^;]*?)\);', text):
        words = [word.strip() for word in words.replace('\n', ' ').split(',') if word != 'void']
        for context, other in (('NULL', 'NULL'), ('c', 'NULL'), ('NULL', 'z'), ('c', 'z')):
            given = []
            for word in words:
                if 'padic_context *' in word and '**' not in word:
                    given.append(context)
                elif re.match(r'padic_(codec_write|codec_read|profile_sink)\b', word) or \
                        re.search(r'padic_(codec_(un)?packer|log_level) \*\w', word):
                    given.append('NULL')
                elif '*' in word or '[' in word:
                    given.append('(void *)(z + 65536 * %d)' % len(given) if other == 'z' else other)
                elif re.match(r'padic_(buffer|record|tensor|jobs)\b', word):
                    given.append('(%s){0}' % word.split()[0])
                else:
                    given.append('0')
            # Functions without a result cannot refuse a NULL.
            if other == 'NULL' and re.match(r'padic_(random_block|num_digest_(?!merge))', name):
                continue
            if name != 'padic_context_destroy' or context == 'NULL':
                yield 'now = "%s %s %s"; memset(z, 0, sizeof z); (void)%s(%s);' % (
                    name, context, other, name, ', '.join(given))


rows = list(calls())
whole('every function with nothing', IMPLEMENT + HERE_IT_IS + """#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char z[65536 * 16];
static const char *now;
static void stop(int signal) { printf("signal %d in %s\\n", signal, now); fflush(stdout); exit(1); }
int main(void) { padic_context *c = NULL; signal(SIGSEGV, stop); signal(SIGFPE, stop);
if (padic_context_create(NULL, &c)) return 2;
""" + '\n'.join(rows) + '\npadic_context_destroy(c); return 0; }\n', has=False)
t.expect('%d calls are few' % len(rows), len(rows) > 600, '')

if FULL:
    for cc in CC:
        for name, flags in (('own machine', ['-O1', '-march=native', '-ffp-contract=fast']),
                            ('sanitizers', ['-O1', '-fsanitize=address,undefined',
                                            '-fno-sanitize-recover=all'])):
            out = os.path.join(at, 'every_area')
            code, said = t.run(cc, *flags, os.path.join(at, 'every_area.c'), '-o', out, '-lm')
            t.expect('%s %s' % (name, cc), code == 0, said)
            if code == 0:
                say(out, '%s %s' % (name, cc))

t.expect('all have one hash', len(set(hashes.values())) == 1 and len(hashes) > 5, str(hashes))
t.finish('test_engine')
