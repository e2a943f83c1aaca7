#!/usr/bin/env python3
# amalgamate.py: makes the headers that ship from the rooms under src/.
"""Usage: amalgamate.py             writes them
       amalgamate.py --check     says what is stale or breaks a rule; exit status 1 then
       amalgamate.py --line DIR  writes them to DIR with #line directives, for coverage

A template becomes padic.h or one of backends/. In it and in the rooms `#include "x"`, relative to
the file it stands in, is replaced by the text of x at first sight, and dropped after that; a file
without `#pragma once` is replaced each time. `#include <x>` is hoisted to the line `// @system` of
its part, each once; inside an #if it stays where it is. A banner before each piece names its room
and line; tools/where.py reads them.

src/made/ holds what is computed here and not checked in: numbers, tables and texts of the kernels,
and what a call of an area that is switched off becomes. `// @identity` becomes hashes of the file
and of all public types."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernels  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SRC = os.path.join(ROOT, 'src')
TEMPLATES = {  # and what they become
    'padic.in.h': 'padic.h',
    'simd/padic_simd.in.h': 'backends/padic_simd.h',
    'gpu/opencl/padic_opencl.in.h': 'backends/padic_opencl.h',
    'gpu/cuda/padic_cuda.in.h': 'backends/padic_cuda.h',
    'codec/padic_fetch.in.h': 'backends/padic_fetch.h',
}
KEPT = ('padic.h', '../padic.h', '../../padic.h')  # includes that ship as they are
AREAS = ('codec', 'num', 'sparse', 'sample', 'wave', 'tensor', 'fft', 'cdt', 'field', 'rnn',
         'rollout', 'pq')

# ------------------------------------------------------------------------------------------ rules
BUDGET = 1500  # lines of a room or of a kernel's text
LONGEST = 60   # lines of a function
# Longer functions, reviewed: folder of the room, function: most lines, why it is one piece.
LONG = {
    ('codec', 'padici_codec_choose_predictors'):
        (73, 'one loop over candidates that share their costs'),
    ('num', 'padici_num_root_unit'): (71, 'one case analysis, by p and the degree'),
    ('num', 'padici_num_check_task'): (79, 'one list of checks, in the order of the messages'),
    ('simd/num', 'collect_pairs'): (82, 'a hot loop of vectors: cut, it loses registers'),
    # Kernels. A cut may move their registers, so each wants a GPU to measure it.
    ('kernels/codec', 'padic_k_codec_measure'): (78, 'counters in registers over all its passes'),
    ('kernels/cuda/sparse', 'padic_k_cuda_sparse_encode'): (61, 'one chain of barriers'),
    ('kernels/cuda/tensor', 'factor_complete'): (67, 'columns in registers, one chain of barriers'),
    ('kernels/cuda/tensor', 'padic_k_cuda_factor_columns'): (176, 'columns stay in registers'),
    ('kernels/cuda/tensor', 'padic_k_cuda_factor_small'): (112, 'columns in registers throughout'),
    ('kernels/num', 'num_cell_root'): (70, 'one case analysis, by p and the degree'),
    ('kernels/num', 'num_hensel_all'): (94, 'one tree search, its stack in the arguments'),
    ('kernels/num', 'solve_gcd'): (66, 'two loops that share six words'),
    ('kernels/pq', 'padic_k_pq_keys'): (85, 'one chain of barriers'),
    ('kernels/sparse', 'sparse_emit_tile'): (70, 'one chain of barriers'),
    ('kernels/tensor', 'factor_complete'): (103, 'one chain of barriers'),
    ('kernels/tensor', 'factor_read'): (63, 'one case analysis, by layout'),
    ('kernels/tensor', 'factor_sweeps'): (63, 'one chain of barriers'),
    ('kernels/tensor', 'padic_k_factor_svd'): (83, 'one chain of barriers'),
}
# Who may include whom: core <- context <- areas <- simd, gpu <- gpu/opencl, gpu/cuda, and:
EDGES = {('sparse', 'num'), ('field', 'fft'), ('rollout', 'fft'), ('rollout', 'codec')}

INCLUDE = re.compile(r'#\s*include "([^"]+)"')
SYSTEM = re.compile(r'#\s*include (<[^>]+>)')
BANNER = '// room: src/'


def read(path):
    with open(os.path.join(SRC, path), encoding='utf-8', newline='') as file:
        return file.read()


def beside(path, name):
    return os.path.normpath(os.path.join(os.path.dirname(path), name)).replace(os.sep, '/')


def code_of(text):
    """The text without comments and the insides of strings; lines stay."""
    text = re.sub(r'"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])+\'', '""', text)
    return re.sub(r'//[^\n]*', '', text)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & (2**64 - 1)
    return value


def rooms():
    found = []
    for folder, _, names in os.walk(SRC):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), SRC).replace(os.sep, '/')
            if name.endswith(('.c', '.h')) and not path.startswith(('kernels/', 'made/', 'dev/')):
                found.append(path)
    return sorted(found)


# ----------------------------------------------------------------------------------------- joining
class Joined:
    """A template with the rooms it includes. `taken`: those that padic.h holds already."""

    def __init__(self, template, taken, lines=False):
        self.template, self.lines, self.faults = template, lines, []
        self.above, self.own = taken, {}
        self.out, self.system = [], []
        self.at = (template, 1)  # the piece that the output is in: its room and next line
        self.add(template)
        self.hoist()

    def emit(self, path, number, line):
        if self.at != (path, number):
            if not line.strip():
                return
            at = ':%d' % number if number > 1 or path in TEMPLATES else ''
            self.out.append('%s%s%s\n' % (BANNER, path, at))
            if self.lines:
                self.out.append('#line %d "src/%s"\n' % (number, path))
        self.out.append(line)
        self.at = (path, number + 1)

    def add(self, path):
        depth = 0
        for number, line in enumerate(read(path).splitlines(keepends=True), 1):
            include, system = INCLUDE.match(line), SYSTEM.match(line)
            if include and include.group(1) not in KEPT:
                self.include(path, number, beside(path, include.group(1)), depth)
            elif system and not depth and not path.endswith('.in.h'):
                if system.group(1) not in self.system:
                    self.system.append(system.group(1))
            elif line.strip() == '// @system':
                self.hoist()
                self.out.append(line)
                self.at = (path, number + 1)
            elif line.startswith('// @identity'):
                self.out.append(line)
                self.at = None
            elif line.startswith('#pragma once'):
                pass
            else:
                depth += len(re.match(r'#\s*if', line) is not None and 'x' or '')
                depth -= len(re.match(r'#\s*endif', line) is not None and 'x' or '')
                self.emit(path, number, line)

    def include(self, path, number, room, depth):
        if not os.path.exists(os.path.join(SRC, room)):
            self.faults.append('src/%s:%d: there is no src/%s' % (path, number, room))
        elif room not in self.above and room not in self.own:
            if depth and not path.endswith('.in.h'):
                self.faults.append('src/%s:%d: src/%s is seen first inside an #if'
                                   % (path, number, room))
            if '#pragma once' in read(room) or room.endswith('.c'):
                self.own[room] = path
            self.add(room)

    def hoist(self):
        """Writes the includes seen since the last mark to that mark."""
        mark = [i for i, line in enumerate(self.out) if line.strip() == '// @system']
        if mark:
            self.out[mark[-1]] = ''.join('#include %s\n' % name for name in sorted(self.system))
        elif self.system:
            self.faults.append('src/%s: no line // @system' % self.template)
        self.system = []

    def text(self, core=None):
        """The hashes are written in the place of their marks; `core`: that of padic.h."""
        text = ''.join(self.out)
        shipped = os.path.basename(TEMPLATES[self.template])
        for name in re.findall(r'^// @identity(?: (\w+))?$', text, re.M):
            value = fnv1a(gpu_texts() if name else text) & 0xFFFFFFFF
            lines = ('#if defined({0}_TEXT) && {0}_TEXT != 0x{1:08x}u\n'
                     '#error "two versions of {2} in one translation unit"\n'
                     '#endif\n#ifndef {0}_TEXT\n#define {0}_TEXT 0x{1:08x}u // a hash of {3}\n'
                     '#endif\n').format(name or shipped[:-2].upper(), value, shipped,
                                       'what devices share' if name else 'this file')
            text = re.sub(r'^// @identity%s\n' % (name and ' ' + name), lines, text, flags=re.M)
        found = re.search(r'define PADIC_TEXT (0x\w+)', core or '')
        if found and 'PADIC_HEADER' in text:
            name = shipped[:-2].upper()
            text = text.replace('#ifndef %s_H\n' % name, (
                '#if PADIC_TEXT != {0}\n'
                '#error "{1} and padic.h are of different versions: take both from one release"\n'
                '#endif\n\n#ifndef {2}_H\n').format(found.group(1), shipped, name), 1)
        return text


def gpu_texts():
    """What padic_opencl.h and padic_cuda.h share."""
    return ''.join(read(path) for path in rooms() if place(path) == 'gpu') + \
        kernels.texts(kernels.Kernels(), False)


# -------------------------------------------------------------------------------------------- made
def functions_of(area):
    """The public functions that the API rooms of an area declare."""
    names = []
    for path in rooms():
        if re.match(r'%s/api(_\w+)?\.h$' % area, path):
            names += re.findall(r'^PADIC_API [^;{]*?(\bpadic_\w+)\(', code_of(read(path)), re.M)
    return names


def off():
    """A call of an area that is switched off: an error of any compiler that names the switch."""
    out = ['#pragma once', '// A call of an area that is switched off does not compile.',
           '#define PADICI_OFF(name, by) name##_is_switched_off_by_##by']
    for area in AREAS:
        switch = 'PADIC_NO_' + area.upper()
        out += ['#ifdef ' + switch]
        for name in functions_of(area):
            line = '#define %s(...) PADICI_OFF(%s, %s)' % (name, name, switch)
            out.append(line if len(line) <= 100 else line.replace(') PADICI', ') \\\n    PADICI'))
        out += ['#endif']
    packers = [name for name in functions_of('codec')
               if re.search(r'_(pack|size_bound|pack_\w+)$', name) and 'free' not in name]
    out += ['#if defined(PADIC_NO_CODEC_PACK) && !defined(PADIC_NO_CODEC)']
    for name in packers:
        out.append('#define %s(...) \\\n    PADICI_OFF(%s, PADIC_NO_CODEC_PACK)' % (name, name))
    out += ['#endif']
    return '\n'.join(out) + '\n'


def layout():
    """What every public type is laid out by: the API rooms without their comments."""
    return ''.join(code_of(read(path)) for path in rooms()
                   if re.search(r'(^|/)api(_\w+)?\.h$', path)) + read('ops.def')


def level_end(folder):
    """Ends what the rooms of a folder defined for one level of the vectors."""
    names = []
    for path in sorted(room for room in per_level() if os.path.dirname(room) == folder):
        for name in re.findall(r'^\s*#\s*define (\w+)', read(path), re.M):
            if name not in names:
                names.append(name)
    return ''.join('#undef %s\n' % name for name in names)


def write(path, text):
    """Writes a file if it changes; whether it did."""
    if os.path.exists(path):
        with open(path, encoding='utf-8', newline='') as file:
            if file.read() == text:
                return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8', newline='') as file:
        file.write(text)
    return True


def make_rooms():
    """src/made/: rooms that are computed."""
    texts = kernels.Kernels()
    made = {
        'off.h': off(),
        'layout.h': '#pragma once\n#define PADIC_LAYOUT 0x%08xu // a hash of all public types\n'
                    % (fnv1a(layout()) & 0xFFFFFFFF),
        'programs.h': kernels.numbers(texts),
        'program_table.h': kernels.rows(texts),
        'texts.h': kernels.texts(texts, False),
        'cuda_texts.h': kernels.texts(texts, True),
        'fetch.h': kernels.fetch(texts),
        'simd_level_end.h': level_end('simd'),
        'codec_level_end.h': level_end('simd/codec'),
        'num_level_end.h': level_end('simd/num'),
        'wave_level_end.h': level_end('simd/wave'),
        'tensor_level_end.h': level_end('simd/tensor'),
        'fft_level_end.h': level_end('simd/fft'),
        'field_level_end.h': level_end('simd/field'),
        'rnn_level_end.h': level_end('simd/rnn'),
    }
    for name, text in made.items():
        write(os.path.join(SRC, 'made', name), text)


def join_all(lines=False):
    """Each shipped path with its text; faults; rooms that are in some file."""
    shipped, faults, used, core = {}, [], set(), {}
    for template, path in TEMPLATES.items():
        joined = Joined(template, {} if template.startswith('codec/') else core, lines)
        if path == 'padic.h':
            core = joined.own
        shipped[path] = joined.text(shipped.get('padic.h'))
        faults += joined.faults
        used |= set(joined.own)
    return shipped, faults, used


# ----------------------------------------------------------------------------------------- checking
def place(path):
    """The folder that the rules of edges speak of."""
    parts = path.split('/')
    if parts[0] == 'gpu' and parts[1] in ('opencl', 'cuda'):
        return '/'.join(parts[:2])
    return parts[0]


def level(folder):
    order = {'made': 0, 'ops.def': 0, 'api.h': 0, 'core': 0, 'context': 1, 'simd': 3, 'gpu': 3,
             'gpu/opencl': 4, 'gpu/cuda': 4}
    return order.get(folder, 2)


def check_edges(path, text, faults):
    for name in re.findall(r'^#\s*include "([^"]+)"', text, re.M):
        to = beside(path, name)
        a, b = place(path), place(to)
        fine = a == b or level(b) < level(a) or (a, b) in EDGES or path in TEMPLATES
        if path == 'api.h' or to == 'api.h' or to in KEPT or name in KEPT:
            fine = True
        if not fine:
            faults.append('src/%s: may not include src/%s' % (path, to))


def functions(text):
    """(name, lines, first line) of each function: its braces stand in the first column."""
    lines = text.split('\n')
    for at, line in enumerate(lines):
        if line == '{':
            first = at
            while first and lines[first - 1] and not lines[first - 1].startswith(('//', '#', '}')):
                first -= 1
            head = ' '.join(lines[first:at])
            names = [name for name in re.findall(r'(\w+)\s*\(', re.sub(
                r'__attribute__\s*\(\(.*?\)\)', '', head)) if not name.startswith('PD_')]
            name = next((n for n in names if n.startswith('padic')), names[-1] if names else '?')
            kernel = re.search(r'\bPD_KERNEL\w*\((\w+)', head)
            name = kernel.group(1) if kernel else names[0] if 'PD_FN' in head else name
            if re.match('PADICI_[A-Z]?K$', name):
                name = re.search(r'PADICI_[A-Z]?K\((\w+)\)', head).group(1)
            yield name, lines.index('}', at) - at + 1, at + 1


def check_functions(path, text, faults):
    for name, length, number in functions(text):
        most = LONG.get((os.path.dirname(path), name), (LONGEST, ''))[0]
        if length > most:
            faults.append('src/%s:%d: %s has %d lines, may have %d'
                          % (path, number, name, length, most))


def check_room(path, faults, defined):
    text = read(path)
    lines = text.splitlines()
    code = code_of(text)
    depth = 0
    if not text.endswith('\n'):
        faults.append('src/%s: the last line has no end' % path)
    if len(lines) > BUDGET:
        faults.append('src/%s: %d lines, may have %d' % (path, len(lines), BUDGET))
    if re.search(r'_[0-9]+\.[ch]$', path):
        faults.append('src/%s: a number is no name' % path)
    for number, line in enumerate(lines, 1):
        if line.startswith(BANNER):
            faults.append('src/%s:%d: a banner' % (path, number))
        if re.match(r'#\s*if', line):
            depth += 1
        elif re.match(r'#\s*(else|elif|endif)', line):
            if not depth:
                faults.append('src/%s:%d: closes what another room has opened' % (path, number))
            depth -= re.match(r'#\s*endif', line) is not None
    if depth:
        faults.append('src/%s: an #if without #endif' % path)
    check_functions(path, text, faults)
    if path.endswith('.c'):
        seen = {}
        if '// @per-level' in text:
            code = ''  # made/..._level_end.h ends their macros
        for match in re.finditer(r'^#\s*(define|undef) (\w+)', code, re.M):
            seen[match.group(2)] = match.group(1)
        for name, last in seen.items():
            if last == 'define':
                faults.append('src/%s: the macro %s is left behind: #undef it, or put it into a .h'
                              % (path, name))
        for match in re.finditer(r'^(?:[A-Z_]+ )*(?:PADICI_FN|static)\b[^;{}=#]*?\b(padici_\w+)\('
                                 r'[^;{}]*\)\n\{', code, re.M):
            defined.setdefault(match.group(1), []).append((path, match.start()))
    check_edges(path, text, faults)


def check(shipped, faults, used):
    for path, text in shipped.items():
        full = os.path.join(ROOT, path)
        old = ''
        if os.path.exists(full):
            with open(full, encoding='utf-8', newline='') as file:
                old = file.read()
        if old != text:
            faults.append('%s is stale: python3 tools/amalgamate.py' % path)
    defined = {}
    for path in rooms():
        check_room(path, faults, defined)
        if path not in used and path not in TEMPLATES and '#pragma once' in read(path):
            faults.append('src/%s: no header has it' % path)
        if path not in used and path.endswith('.c') and path not in per_level():
            faults.append('src/%s: no header has it' % path)
    for text in kernels.Kernels().texts.values():
        check_functions('kernels/' + text.name, '\n'.join(text.lines), faults)
    levels = per_level()
    macros = {}
    for path in rooms():
        for name in re.findall(r'^\s*#\s*define (\w+)', read(path), re.M):
            macros.setdefault(name, set()).add(path)
    for name, places in macros.items():
        if places & levels and any(path.endswith('.h') for path in places):
            faults.append('the macro %s of a level is also defined in %s'
                          % (name, ', '.join(sorted(places - levels))))
    for name, places in defined.items():
        files = {path for path, _ in places}
        if len(files) > 1 and not files & per_level():
            faults.append('%s is defined in %s' % (name, ', '.join(sorted(files))))


def per_level():
    """Rooms that are compiled once per instruction set."""
    return {path for path in rooms() if '// @per-level' in read(path)}


def main():
    arguments = sys.argv[1:]
    if arguments not in ([], ['--check']) and (len(arguments) != 2 or arguments[0] != '--line'):
        sys.exit(__doc__)
    make_rooms()
    shipped, faults, used = join_all(arguments[:1] == ['--line'])
    if arguments == ['--check']:
        check(shipped, faults, used)
    else:
        folder = arguments[1] if arguments else ROOT
        for path, text in shipped.items():
            write(os.path.join(folder, path), text)
    for fault in faults:
        print(fault)
    return bool(faults)


if __name__ == '__main__':
    sys.exit(main())
