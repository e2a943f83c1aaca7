#!/usr/bin/env python3
"""How large the library is: statements by folder, of the tree or of a commit.

    python3 tools/statements.py [COMMIT]

A statement is a `;` outside parentheses or one of if, else, for, while, do, switch, case, default;
comments, strings and lines of the preprocessor (continued ones too, so macros) count apart, as
macro lines. src/made is left out, and what is generated of src/ is not looked at.
"""
import re
import subprocess
import sys

TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|\w+|[();]', re.S)
WORDS = {'if', 'else', 'for', 'while', 'do', 'switch', 'case', 'default'}


def git(*words):
    return subprocess.run(('git',) + words, capture_output=True, check=True,
                          encoding='utf-8').stdout


def files(commit):
    names = git('ls-tree', '-r', '--name-only', commit) if commit else git('ls-files')
    for name in names.split('\n'):
        hand_written = name.startswith('src/') or name in (
            'backends/padic_threads.h', 'backends/padic_cache.h', 'backends/padic_null.h')
        if hand_written and name.endswith(('.c', '.h', '.cl', '.cu', '.def')):
            yield name, (git('show', commit + ':' + name) if commit else
                         open(name, encoding='utf-8').read())


def count(text):
    """Statements, and lines of the preprocessor."""
    lines, macros, kept, inside = text.split('\n'), 0, [], False
    for line in lines:
        begins = inside or line.lstrip().startswith('#')
        inside = begins and line.endswith('\\')
        macros += begins
        if not begins:
            kept.append(line)
    depth = statements = 0
    for token in TOKENS.findall('\n'.join(kept)):
        depth += (token == '(') - (token == ')')
        statements += token in WORDS or (token == ';' and not depth)
    return statements, macros


def main():
    folders = {}
    for name, text in files(sys.argv[1] if len(sys.argv) > 1 else None):
        parts = name.split('/')
        folder = parts[1] if parts[0] == 'src' and len(parts) > 2 else parts[0]
        found = folders.setdefault(folder, [0, 0, 0, 0])
        counted = count(text)
        for at, more in enumerate((1, text.count('\n'), *counted)):
            found[at] += more
    folders['all'] = [sum(f[at] for f in folders.values()) for at in range(4)]
    print('%-10s %6s %8s %11s %12s' % ('folder', 'files', 'lines', 'statements', 'macro lines'))
    for folder, found in folders.items():
        print('%-10s %6d %8d %11d %12d' % (folder, *found))


if __name__ == '__main__':
    main()
