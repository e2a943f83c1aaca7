#!/usr/bin/env python3
# kernels.py: the texts of the kernels under src/kernels: reads, checks and embeds them.
"""Usage: kernels.py --list [NAME...]     the programs: name, first text, arch, one per line
          kernels.py --join NAME          prints a program as a compiler sees it, dialect first
          kernels.py --native NAME        prints C wrappers of one signature for its kernels
          kernels.py --variants NAME      prints the sets of defines that its texts list
`--kernels FOLDER` before these reads another folder. tools/amalgamate.py makes the shipped tables.

A program is the dialect and a list of texts. Its last text names it in its first comment:

    // program: wave
    // texts: source.cl stage.cl          those before it, from the same folder

A text without that comment belongs to the programs that list it. Texts of the folder cuda are for
CUDA only, and so are their programs, called cuda_NAME. Shared programs come first, each kind in
the order of the names. padic_k_NAME_WHAT becomes PADICI_KERNEL_NAME_WHAT = program << 16 | index,
and the struct padic_k_NAME_..._params becomes padici_k_NAME_..._params, for the host. Embedded,
a text loses comments and indentation; line numbers stay those of the file. Hashes are 64-bit
FNV-1a of what is embedded."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "src", "kernels")
BUDGET = 1500  # lines of a text
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


class Text:
    """One file: `name` is its path below the folder."""

    def __init__(self, folder, name):
        self.name = name
        self.cuda = name.startswith("cuda/")
        with open(os.path.join(folder, name), encoding="ascii", newline="") as file:
            self.lines = file.read().split("\n")
        if self.lines.pop():
            sys.exit(f"{name}: the last line has no end")
        for number, line in enumerate(self.lines, 1):
            if len(line) > 100 or "\t" in line or line != line.rstrip():
                sys.exit(f"{name}:{number}: tab, trailing space or more than 100 columns")
        if len(self.lines) > BUDGET:
            sys.exit(f"{name}: {len(self.lines)} lines, may have {BUDGET}")
        self.code = re.sub(r"//[^\n]*", "", "\n".join(self.lines))
        for pattern, why in {**LITERALS, **({} if self.cuda else BANNED)}.items():
            for found in re.finditer(pattern, self.code if name != "dialect.h" else ""):
                number = self.code.count("\n", 0, found.start()) + 1
                sys.exit(f"{name}:{number}: '{found.group()}': {why}")

    def marked(self, word):
        """What follows `// word: ` in its comments."""
        return re.findall(rf"^// {word}: (.*)$", "\n".join(self.lines), re.M)

    def embedded(self):
        """Elements of an array of strings: no comment, no indentation, no blank line of its own."""
        out = [f'#line 1 "{self.name}"\n']
        for line in self.code.split("\n"):
            line = line.strip()
            if line or out[-1].endswith("\\\n"):
                out.append(line + "\n")
            else:
                out[-1] += "\n"
        return out


class Program:
    def __init__(self, last, texts):
        self.cuda = last.cuda
        self.name = last.marked("program")[0]
        here = os.path.dirname(last.name)
        names = [os.path.normpath(os.path.join(here, name)).replace(os.sep, "/")
                 for line in last.marked("texts") for name in line.split()] + [last.name]
        for name in names:
            if name not in texts:
                sys.exit(f"{last.name}: there is no text {name}")
        if len(set(names)) != len(names):
            sys.exit(f"{last.name}: a text is listed twice")
        self.texts = [texts[name] for name in names]
        self.code = "\n".join(text.code for text in self.texts)
        self.params = self.structs()
        self.kernels = self.lint()
        arch = [a for text in self.texts for a in text.marked("arch")]
        self.arch = arch[0] if arch else "sm_75"
        self.variants = [v for text in self.texts for v in text.marked("variant")]

    def embedded(self, dialect):
        """Everything that is compiled, as it is embedded."""
        return [e for text in [dialect] + self.texts for e in text.embedded()]

    def fail(self, words):
        sys.exit(f"{self.texts[-1].name}: {words}")

    def structs(self):
        """The params structs: name to ([(C type, field, elements)], bytes)."""
        found = {}
        for body, name in re.findall(r"typedef struct \{([^{}]*)\}\s*(\w+_params);", self.code):
            fields = []
            for declaration in filter(None, (d.strip() for d in body.split(";"))):
                kind, names = declaration.split(None, 1)
                if kind not in FIELDS:
                    self.fail(f"{name}: '{kind}' is not a 32-bit type")
                for field in names.split(","):
                    match = re.fullmatch(r"\s*(\w+)(?:\[(\d+)\])?\s*", field)
                    if not match:
                        self.fail(f"{name}: '{field.strip()}': a name, or name[number]")
                    fields.append((FIELDS[kind], match.group(1), int(match.group(2) or 0)))
            size = 4 * sum(count or 1 for _, _, count in fields)
            if not 4 <= size <= 256:
                self.fail(f"{name}: {size} bytes, 4 to 256 are allowed")
            found[name] = (fields, size)
        return found

    def group_of(self, name, word):
        """Items of a group: (the define that says so or None, the number without it)."""
        if word.rstrip("uU").isdigit():
            group = int(word.rstrip("uU"))
            word = None
        elif word == "PD_WG":
            group = 128
        else:
            default = re.search(r"#ifndef %s\n#define %s (\d+)" % (word, word), self.code)
            if not default:
                self.fail(f"{name}: needs '#ifndef {word}' and '#define {word} number'")
            group = int(default.group(1))
        if not 1 <= group <= 1024:
            self.fail(f"{name}: a group of {group}")
        return word, group

    def keep_arguments(self):
        """Structs handed over by value are not assigned to: some compilers change the caller's."""
        types = "|".join(["pd_two"] + re.findall(r"\}\s*(\w+);", self.code))
        function = r"PD_FN\s[^;{()]*?(\w+)\s*\(((?:[^()]|\([^()]*\))*)\)\s*\{(.*?)\n\}"
        for name, arguments, body in re.findall(function, self.code, re.S):
            for own in re.findall(rf"(?:^|,)\s*(?:const\s+)?(?:{types})\s+(\w+)\s*(?=,|$)",
                                  arguments):
                field = rf"(?<![\w.>]){own}(?:\.\w+)*"
                if re.search(rf"{field}\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|{field}(?:\+\+|--)", body):
                    self.fail(f"{name}: '{own}' is the caller's: assign to a copy")

    def lint(self):
        """The kernels: (name, arguments, params, params size, group word, group)."""
        kernels, prefix = [], f"padic_k_{self.name}_"
        folders = [f"padic_k_{os.path.basename(os.path.dirname(text.name))}_"
                   for text in self.texts[:-1]]
        self.keep_arguments()
        for name in self.params:
            if not name.startswith((prefix, *folders)):
                self.fail(f"{name}: a params struct is called {prefix}..._params, or in a shared "
                          f"text after its folder")
        for own, name, word, arguments in re.findall(KERNEL, self.code, re.S):
            buffers = len(re.findall(r"PD_C?BUF\(", arguments))
            last = re.search(r"PD_PARAMS\(\s*(\w+)\s*,[^()]*\)\s*$", arguments)
            if not name.startswith(prefix) or buffers > 8:
                self.fail(f"{name}: prefix not {prefix}, or {buffers} buffers (8 at most)")
            if not last or last.group(1) not in self.params:
                self.fail(f"{name}: the last argument must be PD_PARAMS of a struct above")
            size = self.params[last.group(1)][1]
            kernels.append((name, arguments, last.group(1), size)
                           + self.group_of(name, word if own else "PD_WG"))
        if len(re.findall(r"\bPD_KERNEL(?:_WG|_MIN)?\(", self.code)) != len(kernels):
            self.fail("a PD_KERNEL that is not a plain definition")
        if not kernels or len(kernels) > 64:
            self.fail(f"{len(kernels)} kernels; 1 to 64 are allowed")
        return kernels


class Kernels:
    def __init__(self, folder=FOLDER):
        self.dialect = Text(folder, "dialect.h")
        names = sorted(os.path.relpath(os.path.join(path, name), folder).replace(os.sep, "/")
                       for path, _, files in os.walk(folder) for name in files
                       if name.endswith((".cl", ".cu")))
        self.texts = {name: Text(folder, name) for name in names}
        self.programs = [Program(text, self.texts) for text in self.texts.values()
                         if text.marked("program")]
        self.programs.sort(key=lambda program: (program.cuda, program.name))
        used = {text.name for program in self.programs for text in program.texts}
        for name in names:
            if name not in used:
                sys.exit(f"{name}: no program lists it")
        # Shared texts first: their numbers are the same with CUDA's and without.
        self.order = sorted((self.texts[name] for name in names), key=lambda t: (t.cuda, t.name))

    def program(self, name):
        found = [program for program in self.programs if program.name == name]
        if not found:
            sys.exit(f"there is no program {name}")
        return found[0]


def fnv1a(elements):
    h = 0xCBF29CE484222325
    for byte in "".join(elements).encode():
        h = ((h ^ byte) * 0x100000001B3) & (2**64 - 1)
    return h


def array(name, elements):
    text = [f"static const char *const {name}[] = {{"]
    for element in elements:
        element = element.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        text.append('"' + element.replace("\n", "\\n") + '",')
    return text + ["};"]


def c_name(text):
    return re.sub(r"\W", "_", os.path.splitext(text.name)[0]) + ("_cu" if text.cuda else "")


def numbers(kernels):
    """A header: numbers of programs and kernels, and the params structs for the host."""
    out = ["// Numbers of programs and kernels, and the params of kernels. Made by",
           "// tools/amalgamate.py from src/kernels: do not edit.", "#pragma once", "", "enum {"]
    for number, program in enumerate(kernels.programs):
        out.append(f"    PADICI_PROGRAM_{program.name.upper()} = {number},")
        for index, kernel in enumerate(program.kernels):
            out.append(f"    PADICI_KERNEL_{kernel[0][8:].upper()} = {number} << 16 | {index},")
    shared = sum(not program.cuda for program in kernels.programs)
    texts = sum(not text.cuda for text in kernels.order)
    out += [f"    PADICI_PROGRAM_SHARED = {shared}, // those after them are for CUDA only",
            f"    PADICI_PROGRAM_COUNT = {len(kernels.programs)},",
            f"    PADICI_TEXT_SHARED = {texts + 1} // texts, the dialect is the first", "};", ""]
    structs = {name: struct for program in kernels.programs
               for name, struct in program.params.items()}
    for name, (fields, _) in structs.items():
        twin = name.replace("padic_k_", "padici_k_", 1)
        out.append(f"typedef struct {twin} {{")
        out += [f"    {kind} {field}{f'[{count}]' if count else ''};"
                for kind, field, count in fields] + [f"}} {twin};"]
    return "\n".join(out) + "\n"


def rows(kernels):
    """Tables: the programs with their kernels, for all devices."""
    index = {text.name: at for at, text in enumerate(kernels.order, 1)}
    out, programs = [], []
    for program in kernels.programs:
        out.append(f"static const padici_kernel_text padici_kernels_{program.name}[] = {{")
        for name, arguments, _, size, word, group in program.kernels:
            buffers = len(re.findall(r"PD_C?BUF\(", arguments))
            quoted = f'"{word}"' if word else "NULL"
            out.append(f'    {{"{name}", {buffers}u, {size}u, {group}u, {quoted}}},')
        listed = [f"{index[text.name]}," for text in program.texts]
        out += ["};", f"static const uint16_t padici_texts_{program.name}[] = {{"]
        out += ["    " + " ".join(listed[i:i + 16]) for i in range(0, len(listed), 16)] + ["};"]
        name, digest = program.name, fnv1a(program.embedded(kernels.dialect))
        programs.append(f'    {{"{name}", {int(program.cuda)}u, padici_texts_{name}, '
                        f"{len(program.texts)}u, padici_kernels_{name},\n"
                        f"     {len(program.kernels)}u, UINT64_C(0x{digest:016x})}},")
    out += ["static const padici_program_text padici_programs[PADICI_PROGRAM_COUNT] = {"]
    return "\n".join(["#pragma once"] + out + programs + ["};"]) + "\n"


def texts(kernels, cuda):
    """Tables: the texts that every device reads (the dialect first), or those for CUDA only."""
    chosen = [] if cuda else [kernels.dialect]
    chosen += [text for text in kernels.order if text.cuda == cuda]
    out, table = [], []
    for text in chosen:
        elements = text.embedded()
        out += array("padici_lines_" + c_name(text), elements)
        table.append(f'    {{"{text.name}", padici_lines_{c_name(text)}, {len(elements)}u}},')
    name = "padici_cuda_texts" if cuda else "padici_texts"
    out += [f"static const padici_kernel_lines {name}[{len(chosen)}] = {{"] + table + ["};"]
    guard = "CUDA" if cuda else "GPU"
    return "\n".join([f"#pragma once\n#if PADICI_IMPLEMENT_{guard}"] + out + ["#endif"]) + "\n"


def fetch(kernels):
    """The dialect and the reading of packed arrays, line by line, for kernels of users."""
    path = os.path.join(FOLDER, "codec", "fetch.h")
    with open(path, encoding="ascii", newline="") as file:
        lines = file.read().split("\n")[:-1]
    out = []
    for line in kernels.dialect.lines + lines:
        line = line.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?")
        out.append(f'    "{line}\\n",')
    return "\n".join(out) + "\n"


def after_body(text):
    """What follows the first function of a text."""
    end = text.find("\n}\n")
    return text[end + 3:] if end >= 0 else ""


def native(program):
    """Wrappers with one signature, so a harness or a fake driver can call a kernel by name."""
    bodies = re.split(r"(?=PD_KERNEL(?:_WG|_MIN)?\(\s*\w)", program.code)
    shared = any("PD_BARRIER" in part for body in bodies  # in macros, functions of the texts
                 for part in [body if body is bodies[0] else after_body(body)])
    barriers = {name: int(shared or "PD_BARRIER" in body) for body in bodies[1:]
                for name in re.findall(r"PD_KERNEL(?:_WG|_MIN)?\(\s*(\w+)", body)[:1]}
    table = []
    for name, arguments, params, *_ in program.kernels:
        buffers = re.findall(r"PD_(C?)BUF\(\s*(\w+)\s*,", arguments)
        cast = [f"({'const ' if const else ''}{kind} *)mem[{i}]"
                for i, (const, kind) in enumerate(buffers)]
        call = ", ".join(cast + [f"*(const {params} *)params"])
        print(f"static void native_{name}(void *const *mem, const void *params)\n{{\n"
              f"    {name}({call});\n}}")
        table.append(f'    {{"{name}", native_{name}, {len(buffers)}u, sizeof({params}), '
                     f"{barriers[name]}}},")
    print("\n".join(["static const native_kernel native_kernels[] = {"] + table + ["};"]))


def main(arguments):
    folder = FOLDER
    if arguments[:1] == ["--kernels"] and len(arguments) > 2:
        folder, arguments = arguments[1], arguments[2:]
    if not arguments or (arguments[0] != "--list" and len(arguments) != 2):
        sys.exit(__doc__)
    kernels = Kernels(folder)
    if arguments[0] == "--list":
        for program in kernels.programs:
            if not arguments[1:] or program.name in arguments[1:]:
                print(program.name, program.texts[-1].name, program.arch)
        return
    program = kernels.program(arguments[1])
    if arguments[0] == "--join":
        for text in [kernels.dialect] + program.texts:
            print("\n".join([f'#line 1 "{text.name}"'] + text.lines))
    elif arguments[0] == "--native":
        native(program)
    elif arguments[0] == "--variants":
        print("\n".join(program.variants))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
