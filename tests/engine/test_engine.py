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

# Ways around what padic.h does not do yet; each line is to go with its reason.
CLANG_MORE = ['-Wno-unused-but-set-variable']  # `lane` in the codec's matches, clang 13 and later
PARTS_MORE = ['PARTS=CORE CODEC NUM_SIMD SPARSE SAMPLE WAVE TENSOR GPU OPENCL CUDA THREADS CACHE '
              'NULL',                          # part SIMD wants functions of NUM
              'MORE_CXX=-Wno-attributes']      # g++: noinline before extern "C" in parts


def more(cc):
    return CLANG_MORE if 'clang' in cc else []


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
                       'MORE=' + ' '.join(more(cc)), *(PARTS_MORE if what == 'split' else []),
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
                       *more(QUICK), '-I', os.path.join(at, 'third_party'), source, '-o', out,
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
                       '-DCMAKE_CXX_COMPILER=' + CXX[QUICK], '-DCMAKE_BUILD_TYPE=',
                       '-DMORE=' + ';'.join(more(QUICK)))
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
    alone += [(CXX[cc], std, 'cpp', FULL or (std == 'c++11' and cc == CC[0])) for cc in CC
              if FULL or cc == CC[0]]
for cc, std, suffix, whole in alone:
    name = ' '.join(word for word in ('every_area', cc, std) if word)
    command = [cc] + (['-std=' + std] if std else []) + ['-O0', *STRICT, *more(cc)]
    command += ['every_area.' + suffix]
    command += ['-o', 'every_area', '-lm'] if whole else ['-fsyntax-only']
    code, said = t.run(*command, cwd=at)
    t.expect(name, code == 0, said)
    if whole and code == 0:
        say(os.path.join(at, 'every_area'), name)

t.expect('all have one hash', len(set(hashes.values())) == 1 and len(hashes) > 5, str(hashes))
t.finish('test_engine')
