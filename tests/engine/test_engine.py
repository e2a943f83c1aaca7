#!/usr/bin/env python3
# test_engine.py: padic.h inside an engine's build: the tree beside this file, by make and by CMake,
# each variant built, run and of the same hash; one program of every area in C and C++. With REST=1
# the compilers and languages that this leaves out.
import os
import re
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'headers'))
import support as t  # noqa: E402

REST = bool(os.environ.get('REST'))
STRICT = ['-Wall', '-Wextra', '-Wpedantic', '-Werror', '-Wno-misleading-indentation']
CC, CXX, _ = t.families()
if not CC or not shutil.which('make'):
    t.skip('all', 'no make, or no C and C++ compiler of one family')
    t.finish('test_engine')
TCC = t.compilers('tcc')


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
        t.say(os.path.join(at, folder, what), '%s %s' % (what, cc))
    return os.path.join(at, folder)


def exported(library):
    code, said = t.run('nm', '-D', '--defined-only', library)
    return set(re.findall(r' [A-Z] (\w+)', said))


at = tree('tree')
for what in ('game', 'split', 'plugin', 'unity', 'static', 'only_codec'):
    for cc in CC[1:] if REST else CC[:1]:
        built = make(at, cc, what)
        if what == 'plugin':
            shown = exported(os.path.join(built, 'libstudio.so'))
            t.expect('a hidden library shows its own symbols only', shown == {'studio_plugin'},
                     ' '.join(sorted(shown)))

if shutil.which('cmake'):
    built = os.path.join(at, 'cmake')
    code, said = t.run('cmake', '-S', at, '-B', built, '-DCMAKE_C_COMPILER=' + CC[0],
                       '-DCMAKE_CXX_COMPILER=' + CXX[CC[0]], '-DCMAKE_BUILD_TYPE=')
    t.expect('cmake', code == 0, said)
    for what in ['unity_cmake', 'plugin'] if REST else ['game']:
        code, said = t.run('cmake', '--build', built, '--target', what)
        t.expect(what + ' by cmake', code == 0, said)
        if code == 0:
            t.say(os.path.join(built, what), what + ' cmake')
else:
    t.skip('the tree by CMake', 'cmake is not installed')

# ---- One file beside padic.h.
at = t.copy_of_padic('alone')
for suffix in ('c', 'cpp'):
    shutil.copy(os.path.join(HERE, 'every_area.c'), os.path.join(at, 'every_area.' + suffix))
ways = [(cc, 'c99', 'c') for cc in CC] + [(cc, '', 'c') for cc in TCC]
ways += [(CXX[cc], std, 'cpp') for cc in CC for std in ('c++11', 'c++14', 'c++17', 'c++20')
         if cc == CC[-1] or std in ('c++11', 'c++20')]
everyday = [(CC[0], 'c99', 'c'), (CXX[CC[0]], 'c++11', 'cpp')]
for cc, std, suffix in [way for way in ways if (way not in everyday) == REST]:
    name = ' '.join(word for word in ('every_area', cc, std) if word)
    command = [cc] + (['-std=' + std] if std else []) + ['-O0', *STRICT]
    command += ['every_area.' + suffix]
    code, said = t.run(*command, '-o', 'every_area', '-lm', cwd=at)
    t.expect(name, code == 0, said)
    if code == 0:
        t.say(os.path.join(at, 'every_area'), name)


if REST:
    out = os.path.join(at, 'every_area')
    code, said = t.run(CC[-1], '-O1', '-march=native', '-ffp-contract=fast',
                       os.path.join(at, 'every_area.c'), '-o', out, '-lm')
    t.expect('every_area for this machine', code == 0, said)
    if code == 0:
        t.say(out, 'every_area for this machine')

t.one_hash()
t.finish('test_engine')
