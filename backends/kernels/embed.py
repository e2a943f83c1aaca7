#!/usr/bin/env python3
# embed.py: writes the kernel texts into a C header, one array element per line, and lints them.
"""Usage: embed.py OUT.h dialect.h area.cl [...] [cuda/area.cu ...]   write OUT.h (if it changes)
          embed.py --check OUT.h dialect.h area.cl [...]    exit 1 when OUT.h is stale
          embed.py --join dialect.h area.cl                 print one program, as a compiler sees it
          embed.py --native area.cl [...]                   print C wrappers of one signature
One program is the dialect followed by one file; its hash is 64-bit FNV-1a of that text. Programs
are numbered in the order of the arguments: PADICI_PROGRAM_AREA, or _CUDA_AREA for a .cu file.
padic_k_AREA_WHAT becomes PADICI_KERNEL_AREA_WHAT = program << 16 | index, and the struct
padic_k_AREA_WHAT_params becomes padici_k_AREA_WHAT_params, the same fields for the host."""
import os
import re
import sys

BANNED = {  # what the dialect forbids, and why
    r"\bdouble\b": "fp64 belongs under PD_HAS_F64, as pd_f64",
    r"\bsize_t\b": "sizes are pd_u32",
    r"\b(u?(char|short|int|long)|float|half)(2|3|4|8|16)\b": "no vector types",
    r"\bimage[123]d_t\b|\bsampler_t\b": "no images",
    r"\bsub_group_|__shfl|__ballot": "no subgroup call without a local-memory twin",
    r"\b(sincos|fract|modf|frexp|remquo)\s*\(": "no builtin with a private pointer",
    r"\bgoto\b|\bprintf\b": "neither goto nor printf",
}
LITERALS = {  # of CUDA-only texts, too
    r"\b\d+\.\d*(?![\dfFeE])|\b\d+\.?\d*[eE][-+]?\d+(?!\d*[fF])": "float literals end in f",
}
KERNEL = r"PD_KERNEL(_WG|_MIN)?\(\s*(\w+)\s*(?:,\s*(\w+)\s*)?(?:,\s*\w+\s*)?\)\s*\((.*?)\)\s*\{"
FIELDS = {"pd_u32": "uint32_t", "pd_i32": "int32_t", "pd_f32": "float"}


def read(path):
    lines = open(path, encoding="ascii", newline=None).read().split("\n")
    if lines.pop():
        sys.exit(f"{path}: the last line has no end")
    for number, line in enumerate(lines, 1):
        if len(line) > 100 or "\t" in line or line != line.rstrip():
            sys.exit(f"{path}:{number}: tab, trailing space or more than 100 columns")
    return lines


def area_of(path):
    name, kind = os.path.splitext(os.path.basename(path))
    return "cuda_" + name if kind == ".cu" else name


def strip(lines):
    return re.sub(r"//[^\n]*", "", "\n".join(lines))


def structs(path, code):
    """The params structs: name to [(C type, field, elements)]."""
    found = {}
    for body, name in re.findall(r"typedef struct \{([^{}]*)\}\s*(\w+_params);", code):
        fields = []
        for declaration in filter(None, (d.strip() for d in body.split(";"))):
            kind, names = declaration.split(None, 1)
            if kind not in FIELDS:
                sys.exit(f"{path}: {name}: '{kind}' is not a 32-bit type")
            for field in names.split(","):
                match = re.fullmatch(r"\s*(\w+)(?:\[(\d+)\])?\s*", field)
                if not match:
                    sys.exit(f"{path}: {name}: '{field.strip()}': a name, or name[number]")
                fields.append((FIELDS[kind], match.group(1), int(match.group(2) or 0)))
        size = 4 * sum(count or 1 for _, _, count in fields)
        if not 4 <= size <= 256:
            sys.exit(f"{path}: {name}: {size} bytes, 4 to 256 are allowed")
        found[name] = (fields, size)
    return found


def group_of(path, code, name, word):
    """How many items a group has: (the define that says so or None, the number without it)."""
    if word.rstrip("uU").isdigit():
        group = int(word.rstrip("uU"))
        word = None
    elif word == "PD_WG":
        group = 128
    else:
        default = re.search(r"#ifndef %s\n#define %s (\d+)" % (word, word), code)
        if not default:
            sys.exit(f"{path}: {name}: needs '#ifndef {word}' and '#define {word} number'")
        group = int(default.group(1))
    if not 1 <= group <= 1024:
        sys.exit(f"{path}: {name}: a group of {group}")
    return word, group


def keep_arguments(path, code):
    """Structs handed over by value are not assigned to: some compilers change the caller's own."""
    types = "|".join(["pd_two"] + re.findall(r"\}\s*(\w+);", code))
    function = r"PD_FN\s[^;{()]*?(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*\{(.*?)\n\}"
    for name, arguments, body in re.findall(function, code, re.S):
        for own in re.findall(rf"(?:^|,)\s*(?:const\s+)?(?:{types})\s+(\w+)\s*(?=,|$)", arguments):
            field = rf"(?<![\w.>]){own}(?:\.\w+)*"
            if re.search(rf"{field}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|{field}(?:\+\+|--)", body):
                sys.exit(f"{path}: {name}: '{own}' is the caller's: assign to a copy")


def lint(path, lines, cuda=False):
    """The kernels of a file: (name, arguments, params, params size, group word, group)."""
    code = strip(lines)
    for pattern, why in {**LITERALS, **({} if cuda else BANNED)}.items():
        for found in re.finditer(pattern, code):
            number = code.count("\n", 0, found.start()) + 1
            sys.exit(f"{path}:{number}: '{found.group()}': {why}")
    keep_arguments(path, code)
    params, kernels, prefix = structs(path, code), [], f"padic_k_{area_of(path)}_"
    for name in params:
        if not name.startswith(prefix):
            sys.exit(f"{path}: {name}: a params struct is called {prefix}..._params")
    for own, name, word, arguments in re.findall(KERNEL, code, re.S):
        buffers = len(re.findall(r"PD_C?BUF\(", arguments))
        last = re.search(r"PD_PARAMS\(\s*(\w+)\s*,[^()]*\)\s*$", arguments)
        if not name.startswith(prefix) or buffers > 8:
            sys.exit(f"{path}: {name}: prefix not {prefix}, or {buffers} buffers (8 at most)")
        if not last or last.group(1) not in params:
            sys.exit(f"{path}: {name}: the last argument must be PD_PARAMS of a struct above")
        size = params[last.group(1)][1]
        kernels.append((name, arguments, last.group(1), size)
                       + group_of(path, code, name, word if own else "PD_WG"))
    if len(re.findall(r"\bPD_KERNEL(?:_WG|_MIN)?\(", code)) != len(kernels):
        sys.exit(f"{path}: a PD_KERNEL that is not a plain definition")
    if not kernels or len(kernels) > 64:
        sys.exit(f"{path}: {len(kernels)} kernels; 1 to 64 are allowed")
    return kernels


def after_body(text):
    """What follows the first function of a text."""
    end = text.find("\n}\n")
    return text[end + 3:] if end >= 0 else ""


def native(paths):
    """Wrappers with one signature, so a harness or a fake driver can call a kernel by name."""
    rows = []
    for path in paths:
        code = strip(read(path))
        bodies = re.split(r"(?=PD_KERNEL(?:_WG|_MIN)?\(\s*\w)", code)
        shared = any("PD_BARRIER" in part for body in bodies  # in macros, functions of the file
                     for part in [body if body is bodies[0] else after_body(body)])
        barriers = {name: int(shared or "PD_BARRIER" in body) for body in bodies[1:]
                    for name in re.findall(r"PD_KERNEL(?:_WG|_MIN)?\(\s*(\w+)", body)[:1]}
        for name, arguments, params, *_ in lint(path, read(path)):
            buffers = re.findall(r"PD_(C?)BUF\(\s*(\w+)\s*,", arguments)
            cast = [f"({'const ' if const else ''}{kind} *)mem[{i}]"
                    for i, (const, kind) in enumerate(buffers)]
            call = ", ".join(cast + [f"*(const {params} *)params"])
            print(f"static void native_{name}(void *const *mem, const void *params)\n{{\n"
                  f"    {name}({call});\n}}")
            rows.append(f'    {{"{name}", native_{name}, {len(buffers)}u, sizeof({params}), '
                        f"{barriers[name]}}},")
    print("\n".join(["static const native_kernel native_kernels[] = {"] + rows + ["};"]))


def fnv1a(lines):
    h = 0xCBF29CE484222325
    for byte in "".join(line + "\n" for line in lines).encode():
        h = ((h ^ byte) * 0x100000001B3) & (2**64 - 1)
    return h


def array(name, lines):
    text = [f"static const char *const {name}[] = {{"]
    for line in lines:
        line = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        text.append(f'"{line}\\n",')
    return text + ["};"]


HEADER = """\
// GENERATED from kernels/ by embed.py: do not edit. In backends/kernels:
//     python3 embed.py ../padic_kernels.h dialect.h *.cl $(ls cuda/*.cu)
#ifndef PADIC_KERNELS_H
#define PADIC_KERNELS_H
#include <stddef.h>
#include <stdint.h>

typedef struct padici_kernel_text {
    const char *name;
    uint32_t buffers, params_size;
    uint32_t group;         // items of a group, unless
    const char *group_word; // this is defined (NULL: nothing changes it)
} padici_kernel_text;

typedef struct padici_program_text {
    const char *name;
    uint32_t cuda; // a text for CUDA only
    const char *const *lines; // compiled after those of the dialect
    uint32_t line_count;
    const padici_kernel_text *kernels;
    uint32_t kernel_count;
    uint64_t hash; // of the dialect and the lines
} padici_program_text;
""".split("\n")


def header(dialect_path, paths):
    dialect = [f'#line 1 "{os.path.basename(dialect_path)}"'] + read(dialect_path)
    out = list(HEADER)
    numbers, twins, rows = [], [], []
    texts = array("padici_dialect_lines", dialect)
    for program, path in enumerate(paths):
        area = area_of(path)
        lines = [f'#line 1 "{os.path.basename(path)}"'] + read(path)
        kernels = lint(path, lines, path.endswith(".cu"))
        numbers.append(f"    PADICI_PROGRAM_{area.upper()} = {program},")
        table = [f"static const padici_kernel_text padici_kernels_{area}[] = {{"]
        for index, (name, arguments, _, size, word, group) in enumerate(kernels):
            numbers.append(f"    PADICI_KERNEL_{name[8:].upper()} = {program} << 16 | {index},")
            buffers = len(re.findall(r"PD_C?BUF\(", arguments))
            quoted = f'"{word}"' if word else "NULL"
            table.append(f'    {{"{name}", {buffers}u, {size}u, {group}u, {quoted}}},')
        for name, (fields, _) in structs(path, strip(lines)).items():
            twin = name.replace("padic_k_", "padici_k_", 1)
            twins.append(f"typedef struct {twin} {{")
            twins += [f"    {kind} {field}{f'[{count}]' if count else ''};"
                      for kind, field, count in fields] + [f"}} {twin};"]
        texts += array(f"padici_lines_{area}", lines) + table + ["};"]
        rows.append(f'    {{"{area}", {int(path.endswith(".cu"))}u, padici_lines_{area}, '
                    f"{len(lines)}u,\n     padici_kernels_{area}, {len(kernels)}u, "
                    f"UINT64_C(0x{fnv1a(dialect + lines):016x})}},")
    out += ["enum {"] + numbers + [f"    PADICI_PROGRAM_COUNT = {len(rows)},",
                                   f"    PADICI_DIALECT_COUNT = {len(dialect)} // lines", "};", ""]
    out += twins + [""] + texts
    out += ["static const padici_program_text padici_programs[] = {"] + rows + ["};", "#endif"]
    return "\n".join(out) + "\n"


def main(arguments):
    if len(arguments) == 3 and arguments[0] == "--join":
        for path in arguments[1:]:
            print("\n".join([f'#line 1 "{os.path.basename(path)}"'] + read(path)))
        return 0
    if len(arguments) >= 2 and arguments[0] == "--native":
        native(arguments[1:])
        return 0
    check = arguments[:1] == ["--check"]
    arguments = arguments[1:] if check else arguments
    if len(arguments) < 3 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    out, text = arguments[0], header(arguments[1], arguments[2:])
    old = open(out, encoding="ascii", newline="").read() if os.path.exists(out) else None
    if old == text:
        return 0
    if check:
        sys.exit(f"{out} is stale; run: python3 embed.py {' '.join(arguments)}")
    with open(out, "w", encoding="ascii", newline="\n") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
