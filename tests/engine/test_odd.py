#!/usr/bin/env python3
# test_odd.py: users who do odd things: macros of their own in the way, implementations late, twice
# or in parts, switches, wrappers, namespaces, every warning there is, functions with nothing.
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'headers'))
import support as t  # noqa: E402

STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-misleading-indentation']
CC, CXX, QUICK = t.families()
if not CC:
    t.skip('all', 'no C and C++ compiler of one family')
    t.finish('test_odd')
TCC = t.compilers('tcc')

# Whole programs are compiled by tcc where it is installed.
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
        t.say(out, name)
    elif code == 0:
        code, said = t.run(out)
        t.expect(name + ' runs', code == 0, 'exit %d\n%s' % (code, said))


# Words that others define.
colliding = '#include "%s/hostile.h"\n' % HERE + IMPLEMENT + EVERY
looks('colliding macros', colliding, CC[0], '-std=c99', *STRICT)
for cc in CC:
    for flag in ('-DSTUDIO_COMPLEX', '-DSTUDIO_TGMATH'):
        looks('colliding macros %s %s' % (cc, flag), colliding, cc, '-std=c99', *STRICT, flag)
    looks('colliding macros ' + CXX[cc], colliding, CXX[cc], '-std=c++17', *STRICT, suffix='cpp')

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
                           os.path.join(inc, 'part.o'))
        t.expect('part %s with %s' % (part, odd), code == 0, said)

# PADIC_API given by the engine: shown from a library that hides the rest; and empty.
for name, api in (('shown', 'extern __attribute__((visibility("default")))'), ('empty', '')):
    out = os.path.join(t.scratch, 'api_%s.so' % name)
    source = t.write('api_%s.c' % name, '#define PADIC_API %s\n#define PADIC_ONLY_CODEC\n'
                     '#define PADIC_IMPLEMENTATION\n#include "padic.h"\n' % api)
    code, said = t.run(QUICK, '-std=c99', '-O0', '-fPIC', '-shared', '-fvisibility=hidden', *STRICT,
                       '-I', inc, source, '-o', out, '-lm')
    t.expect('a library with PADIC_API %s' % name, code == 0, said)
    if code == 0:
        shown = set(re.findall(r' [A-Z] (\w+)', t.run('nm', '-D', '--defined-only', out)[1]))
        other = sorted(word for word in shown if not word.startswith('padic_'))
        t.expect('PADIC_API %s shows what it says' % name,
                 not other and ('padic_codec_pack' in shown) == (name == 'shown'), ' '.join(other))

# Calls of what is switched off.
OFF = ('#define PADIC_NO_TENSOR\n' + HERE_IT_IS + 'int f(void) { padic_tensor_svd_desc d = '
       'PADIC_ZERO; if (0) return (int)padic_tensor_svd(NULL, &d); return 0; }\n')
for cc, suffix in ((CC[0], 'c'), (CXX[CC[0]], 'cpp'), (CXX[QUICK], 'cpp')):
    looks('a dead call of what is off, ' + cc, OFF, cc, suffix=suffix,
          wrong='padic_tensor_svd_is_switched_off_by_PADIC_NO_TENSOR')
looks('::a call of what is off', OFF.replace('(int)padic', '(int)::padic'), CXX[CC[0]],
      suffix='cpp', wrong='padic_tensor_svd_is_switched_off_by_PADIC_NO_TENSOR')
looks('types of what is off stay',
      OFF.replace('padic_tensor_svd(NULL, &d)', '(d.status.data != NULL)'), CC[0], *STRICT)

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
CALL = ('int main() { %spadic_codec_pack_desc d = PADIC_ZERO; '
        'return (int)padic_codec_size_bound(&d); }\n')
source = t.write('odd/named.cpp', '#include <cstddef>\n#include <cstdint>\nnamespace studio {\n'
                 + HERE_IT_IS + '}\n' + CALL % 'using namespace studio; ')
built = os.path.join(inc, 'built.o')
code, said = t.run(QUICK, '-O0', '-c', t.write('odd/built.c', IMPLEMENT + HERE_IT_IS), '-o', built)
t.expect('an implementation', code == 0, said)
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
           '-Wswitch-enum', '-Wswitch-default', '-Wfloat-equal', '-Wdouble-promotion',
           '-Wno-misleading-indentation']  # clang looks for it in a tenth of the time
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

t.one_hash()
t.finish('test_odd')
