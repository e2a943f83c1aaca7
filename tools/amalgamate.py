#!/usr/bin/env python3
# amalgamate.py: makes the headers that ship from the rooms under src/.
#
#     python3 tools/amalgamate.py           writes them
#     python3 tools/amalgamate.py --check   says what is stale or breaks a rule; exit status 1 then
#
# A template, src/.../NAME.in.h, becomes NAME.h or backends/NAME.h: its lines, with each
# `#include "area/room.c"` replaced by a banner and the room's text; a banner with a line number
# says where the template goes on (tools/where.py reads them). Each room stands in one template,
# once. What a line of a room includes by quotes is a header that ships and stays as it is.
#
# Rules: a room has at most 1,500 lines, closes every #if that it opens, and has no number for a
# name. Rooms that are longer still are in LONG with their lines: they may only become shorter.
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SRC = os.path.join(ROOT, 'src')
BUDGET = 1500
LONG = {
    'codec/pack.c': 1535,
    'num/arith.c': 1640,
    'num/exact.c': 2215,
    'num/ring.c': 1952,
    'num/series.c': 1881,
    'simd/num/kernels.c': 3073,
    'simd/wave/tiles.c': 1675,
    'sparse/sparse.c': 3197,
    'tensor/einsum.c': 1591,
    'tensor/tensor.c': 1943,
    'wave/wave.c': 3083,
}
INCLUDE = re.compile(r'#include "([a-z0-9_/]+\.[ch])"$')
BANNER = '// room: src/%s\n'


def shipped(template):
    name = os.path.basename(template).replace('.in.h', '.h')
    return name if os.path.dirname(template) == '' else 'backends/' + name


def files(end):
    found = []
    for folder, _, names in os.walk(SRC):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), SRC)
            if path.endswith('.in.h') == (end == '.in.h'):
                found.append(path)
    return sorted(found)


def read(path):
    with open(os.path.join(SRC, path)) as file:
        return file.read()


# The text of what `template` makes; the rooms that it takes are added to `taken`.
def make(template, taken, faults):
    lines, between = [], []  # between: the template's lines since the last room
    for number, line in enumerate(read(template).splitlines(keepends=True) + [''], 1):
        match = INCLUDE.match(line.rstrip('\n'))
        room = match.group(1) if match else ''
        if line and not os.path.dirname(room):
            between.append(line)
            continue
        if lines and ''.join(between).strip():
            lines.append(BANNER % ('%s:%d' % (template, number - len(between))))
        lines += between
        between = []
        if room and not os.path.exists(os.path.join(SRC, room)):
            faults.append('src/%s: there is no room src/%s' % (template, room))
        elif room in taken:
            faults.append('src/%s: src/%s is in src/%s already' % (template, room, taken[room]))
        elif room:
            taken[room] = template
            lines += [BANNER % room, read(room)]
    return ''.join(lines)


def check_room(path, faults):
    text = read(path)
    lines = text.splitlines()
    depth = 0
    if not text.endswith('\n'):
        faults.append('src/%s: the last line has no end' % path)
    if len(lines) > LONG.get(path, BUDGET):
        faults.append('src/%s: %d lines, may have %d' % (path, len(lines), LONG.get(path, BUDGET)))
    if re.search(r'_[0-9]+\.[ch]$', path):
        faults.append('src/%s: a number is no name' % path)
    for number, line in enumerate(lines, 1):
        if line.startswith(BANNER.split('%')[0]):
            faults.append('src/%s:%d: a banner' % (path, number))
        if re.match(r'#\s*if', line):
            depth += 1
        elif re.match(r'#\s*(else|elif|endif)', line):
            if not depth:
                faults.append('src/%s:%d: closes what another room has opened' % (path, number))
            depth -= re.match(r'#\s*endif', line) is not None
    if depth:
        faults.append('src/%s: an #if without #endif' % path)


def main():
    check = sys.argv[1:] == ['--check']
    if sys.argv[1:] and not check:
        sys.exit('usage: amalgamate.py [--check]')
    taken, faults = {}, []
    for template in files('.in.h'):
        text = make(template, taken, faults)
        path = os.path.join(ROOT, shipped(template))
        old = ''
        if os.path.exists(path):
            with open(path) as file:
                old = file.read()
        if text != old and check:
            faults.append('%s is stale: python3 tools/amalgamate.py' % shipped(template))
        elif text != old:
            with open(path, 'w') as file:
                file.write(text)
    for room in files(''):
        check_room(room, faults)
        if room not in taken:
            faults.append('src/%s: no template has it' % room)
    for room in LONG:
        if room not in taken:
            faults.append('LONG: there is no src/' + room)
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
