#!/usr/bin/env python3
# test_rooms.py: the headers that ship are what src/ makes, and every line of them is found there.
import glob
import os
import subprocess
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
os.chdir(ROOT)
sys.path.insert(0, 'tools')
import where

made = looked = wrong = 0
for path in sorted(glob.glob('padic*.h') + glob.glob('backends/padic_*.h')):
    with open(path) as file:
        lines = file.read().splitlines()
    if not any(where.BANNER.match(line) for line in lines):
        continue
    made += 1
    texts = {}
    for number in range(1, len(lines) + 1, 97):
        line = lines[number - 1]
        if not line.strip() or where.BANNER.match(line):
            continue
        room, _, at = where.where(path, number).rpartition(':')
        if room not in texts:
            with open(room) as file:
                texts[room] = file.read().splitlines()
        looked += 1
        if int(at) > len(texts[room]) or texts[room][int(at) - 1] != line:
            wrong += 1
            print('%s:%d is not %s:%s' % (path, number, room, at))
stale = subprocess.run([sys.executable, 'tools/amalgamate.py', '--check']).returncode
print('%d headers are made from rooms, %d lines looked up' % (made, looked))
failed = (wrong > 0) + (stale != 0) + (made == 0 or looked < 500)
print('test_rooms: %d passed, %d failed, 0 skipped' % (3 - failed, failed))
sys.exit(failed > 0)
