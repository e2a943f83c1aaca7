#!/usr/bin/env python3
# where.py: which room a line of a header that ships was made from.
#
#     python3 tools/where.py padic.h:1234 [FILE:LINE...]
#
# It reads the banners in the file alone, so that it knows an old copy, too.
import re
import sys

BANNER = re.compile(r'// room: src/([^:]+)(?::([0-9]+))?$')
TOP = re.compile(r'// Made by tools/amalgamate.py from src/([\w/.]+\.in\.h)')


def where(path, number):
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    if not 1 <= number <= len(lines):
        sys.exit('%s has %d lines' % (path, len(lines)))
    for at in range(number, 0, -1):
        match = BANNER.match(lines[at - 1])
        if match:
            first = int(match.group(2) or 1)
            return 'src/%s:%d' % (match.group(1), first + max(number - at - 1, 0))
    top = next((match.group(1) for match in map(TOP.match, lines) if match), None)
    if not top:
        sys.exit('%s has no banners' % path)
    return 'src/%s:%d' % (top, number)


def main():
    if len(sys.argv) < 2:
        sys.exit('usage: where.py FILE:LINE...')
    for word in sys.argv[1:]:
        path, colon, number = word.rpartition(':')
        if not colon or not number.isdigit():
            sys.exit('%s is not FILE:LINE' % word)
        print(where(path, int(number)))


if __name__ == '__main__':
    main()
