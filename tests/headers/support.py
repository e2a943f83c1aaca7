# support.py: what the tests of the headers share: compilers, scratch, counting.
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AREAS = ('CODEC', 'NUM', 'SPARSE', 'SAMPLE', 'WAVE', 'TENSOR', 'FFT', 'CDT', 'FIELD', 'RNN',
         'ROLLOUT', 'PQ')
BACKENDS = ('simd', 'opencl', 'cuda', 'threads', 'cache', 'null')
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wconversion', '-Wshadow', '-Werror',
            '-Wno-misleading-indentation']  # by which gcc takes ten times as long
scratch = tempfile.mkdtemp(prefix='padic-headers-')
count = {'passed': 0, 'failed': 0, 'skipped': 0}
hashes = {}


def compilers(*names):
    """Those that are installed; of clang the newest."""
    found = []
    for name in names:
        for word in ([name + v for v in ('-19', '-20', '-18', '-17', '-16', '')]
                     if name.startswith('clang') else [name]):
            if shutil.which(word):
                found.append(word)
                break
        else:
            skip(name, 'not installed')
    return found


def families():
    """C compilers that have one for C++, those, and which C compiler takes the least time."""
    cc = compilers('gcc', 'clang')
    cxx = {name: name.replace('gcc', 'g++').replace('clang', 'clang++') for name in cc}
    cc = [name for name in cc if shutil.which(cxx[name])]
    return cc, cxx, cc[-1] if cc else None


def write(name, text):
    path = os.path.join(scratch, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)
    return path


def run(*command, **more):
    """Exit status and all output of a command."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', **more)
    return done.returncode, done.stdout


def expect(what, fine, said=''):
    count['passed' if fine else 'failed'] += 1
    if not fine:
        print('FAILED: %s\n%s' % (what, '\n'.join(said.split('\n')[:20])))


def say(program, name):
    """Runs a program of one line and keeps its hash."""
    code, said = run(program)
    line = re.match(r'([\w+]+): fine, hash ([0-9a-f]{16})\n$', said)
    expect(name + ' runs', code == 0 and line, 'exit %d\n%s' % (code, said))
    if line:
        hashes[name] = line.group(2)


def one_hash():
    expect('all have one hash', len(set(hashes.values())) == 1 and len(hashes) > 4, str(hashes))


def skip(what, why):
    count['skipped'] += 1
    print('SKIP: %s: %s' % (what, why))


def copy_of_padic(folder, *backends, flat=True):
    """A folder of a user: padic.h, and backends beside it or in backends/."""
    to = os.path.join(scratch, folder)
    below = to if flat else os.path.join(to, 'backends')
    os.makedirs(below, exist_ok=True)
    shutil.copy(os.path.join(ROOT, 'padic.h'), to)
    for name in backends:
        shutil.copy(os.path.join(ROOT, 'backends', 'padic_%s.h' % name), below)
    return to


def finish(name):
    shutil.rmtree(scratch)
    print('%s: %d passed, %d failed, %d skipped'
          % (name, count['passed'], count['failed'], count['skipped']))
    sys.exit(count['failed'] > 0)
