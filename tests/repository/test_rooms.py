#!/usr/bin/env python3
# test_rooms.py: the headers that ship are what src/ makes; every line of them is found there; what
# CONTRIBUTING says of the way of calls is so; the tool sees each fault that it is there to see;
# every room compiles by itself.
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
os.chdir(ROOT)
sys.dont_write_bytecode = True
sys.path.insert(0, 'tools')
import amalgamate
import where

passed = failed = skipped = 0


def expect(what, fine, said=''):
    global passed, failed
    passed, failed = passed + bool(fine), failed + (not fine)
    if not fine:
        print('FAILED: %s\n%s' % (what, said))


def check(folder='.'):
    done = subprocess.run([sys.executable, 'tools/amalgamate.py', '--check'], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


code, said = check()
expect('the headers are what src/ makes', code == 0, said)

# Lines.
looked = wrong = 0
for path in amalgamate.TEMPLATES.values():
    with open(path) as file:
        lines = file.read().splitlines()
    texts = {}
    for number in range(1, len(lines) + 1, 97):
        line = lines[number - 1]
        if not line.strip() or where.BANNER.match(line):
            continue
        if line.startswith('#include <'): # the tool puts them before the first room
            continue
        if '_TEXT' in ''.join(lines[max(0, number - 7):number]): # hashes are written by the tool
            continue
        room, _, at = where.where(path, number).rpartition(':')
        if room not in texts:
            with open(room) as file:
                texts[room] = file.read().splitlines()
        looked += 1
        if int(at) > len(texts[room]) or texts[room][int(at) - 1] != line:
            wrong += 1
            print('%s:%d is not %s:%s' % (path, number, room, at))
expect('%d lines looked up, %d wrong' % (looked, wrong), looked > 500 and not wrong)

# The routes that CONTRIBUTING shows: each name stands in the files of its row.
def routes(text):
    """(row, files, names) of each row of its tables."""
    part = text[text.index('### One call of each area'):]
    for row in part[:part.index('\n## ')].splitlines():
        cells = [cell.strip() for cell in row.split('|')]
        if len(cells) != 5 or cells[1] in ('step', '---'):
            continue
        yield row, re.findall(r'`([\w/]+\.\w+)`', cells[2]), re.findall(r'`(\w+)`', cells[3])


def stale_routes(text):
    found = []
    for row, files, names in routes(text):
        texts = []
        for path in files:
            if os.path.exists('src/' + path):
                with open('src/' + path) as file:
                    texts.append(file.read())
            else:
                found.append('src/%s is not there: %s' % (path, row))
        for name in names:
            if not any(re.search(r'\b%s\b' % name, text) for text in texts):
                found.append('%s is in no file of its row: %s' % (name, row))
        if not files or not names:
            found.append('no file or no name: ' + row)
        for text in texts:
            if not any(re.search(r'\b%s\b' % name, text) for name in names):
                found.append('a file has none of the names: ' + row)
    return found


with open('CONTRIBUTING.md') as file:
    guide = file.read()
said = stale_routes(guide)
expect('the routes of CONTRIBUTING are those of src/', not said, '\n'.join(said))
expect('it shows one of each area', len(list(routes(guide))) >= 6 * 6)
everything = ''
for folder, _, names in os.walk('src'):
    for name in names:
        if name.endswith(('.h', '.c', '.cl', '.cu', '.def')):
            with open(os.path.join(folder, name)) as file:
                everything += file.read()
words = set(re.findall(r'\bpadici?_\w+|\bPADICI?_\w+', everything))
named = [name for name in re.findall(r'`(padici?_\w+|PADICI?_\w+)[`(]',
                                     guide[guide.index('## The way of a call'):])
         if not re.search(r'NAME|WHAT|AREA|_$', name)]
gone = [name for name in named if name not in words and name != 'PADIC_SIMD' and
        not os.path.exists('backends/%s.h' % name)]
expect('CONTRIBUTING names what is there', len(named) > 60 and not gone, ' '.join(gone))
expect('a name that went is seen', stale_routes(guide.replace('`padici_num_few`', '`old_few`')))
expect('a file that went is seen', stale_routes(guide.replace('`num/few.c`', '`num/old.c`')))

# Faults, one at a time in a copy.
PLANTS = {  # what: (file, text, instead or None for an end, what --check says)
    'a stale header': ('padic.h', '#define PADIC_HEADER\n', '#define PADIC_HEADER 2\n', 'is stale'),
    'a long room': ('src/codec/rans.c', None, '\n// .' * 1500, 'lines, may have 1500'),
    'a long function': ('src/codec/rans.c', None, '\nvoid padici_long(void)\n{\n' + '\n' * 70 +
                        '}\n', 'padici_long has'),
    'a long kernel': ('src/kernels/codec/rans.cl', None, '\nPD_FN pd_u32 codec_long(void)\n{\n' +
                      '\n' * 70 + '}\n', 'codec_long has'),
    'an edge that is forbidden': ('src/core/memory.c', '#include "memory.h"\n',
                                  '#include "memory.h"\n#include "../codec/rans.h"\n',
                                  'may not include src/codec/rans.h'),
    'an unknown include': ('src/codec/rans.c', '#include "rans.h"\n',
                           '#include "rans.h"\n#include "no_such.h"\n', 'there is no src/codec'),
    'an include inside an #if': ('src/codec/rans.c', '#include "rans.h"\n',
                                 '#include "rans.h"\n#ifdef X\n#include "new_room.h"\n#endif\n',
                                 'is seen first inside an #if'),
    'two definitions of a name': ('src/codec/huffman.c', None,
                                  '\nstatic int padici_twice(int x)\n{\n    return x;\n}\n',
                                  'padici_twice is defined in'),
    'a macro left behind': ('src/codec/rans.c', None, '\n#define PADICI_LEFT 1\n',
                            'PADICI_LEFT is left behind'),
    'an #if without end': ('src/codec/rans.c', None, '\n#if 1\n', 'an #if without #endif'),
    'a banner in a room': ('src/codec/rans.c', None, '\n// room: src/codec/rans.c\n', 'a banner'),
}
with tempfile.TemporaryDirectory() as copy:
    for folder in ('src', 'tools', 'backends'):
        shutil.copytree(folder, os.path.join(copy, folder))
    shutil.copy('padic.h', copy)
    expect('the copy is fine', check(copy)[0] == 0, check(copy)[1])
    for what, (name, old, new, wanted) in PLANTS.items():
        path = os.path.join(copy, name)
        with open(path) as file:
            text = file.read()
        with open(path, 'w') as file:
            file.write(text + new if old is None else text.replace(old, new, 1))
        more = []
        if 'inside' in what:
            more = [os.path.join(copy, 'src/codec/new_room.h')]
            with open(more[0], 'w') as file:
                file.write('#pragma once\n')
        if 'two' in what:
            more = [os.path.join(copy, 'src/codec/grid.c')]
            with open(more[0]) as file:
                grid = file.read()
            with open(more[0], 'w') as file:
                file.write(grid + new)
        code, said = check(copy)
        expect('%s is seen' % what, code == 1 and wanted in said, said[-500:])
        with open(path, 'w') as file:
            file.write(text)
        if 'two' in what:
            with open(more[0], 'w') as file:
                file.write(grid)
        elif more:
            os.remove(more[0])
    shutil.copy(os.path.join(copy, 'src/codec/rans.c'), os.path.join(copy, 'src/codec/rans_2.c'))
    code, said = check(copy)
    expect('a number for a name is seen', code == 1 and 'a number is no name' in said, said[-500:])


def compiles(path):
    return subprocess.run(['gcc', '-std=c99', '-Wall', '-Wextra', '-Werror', '-fsyntax-only',
                           'src/' + path], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


# Rooms by themselves. Those that are compiled once per instruction set come with levels.c.
if shutil.which('gcc'):
    alone = [path for path in amalgamate.rooms()
             if path.endswith('.c') and path not in amalgamate.per_level()]
    with ThreadPoolExecutor(int(os.environ.get('JOBS') or 2)) as pool:
        for path, done in zip(alone, pool.map(compiles, alone)):
            expect('src/%s compiles by itself' % path, done.returncode == 0, done.stdout[:800])
else:
    skipped += 1
print('test_rooms: %d passed, %d failed, %d skipped' % (passed, failed, skipped))
sys.exit(failed > 0)
