// padic: packs numeric arrays into the fewest bytes and gives them back exactly, or within a bound.
//
// From the root of the repository:
//
//     cc -O2 -o padic examples/padic.c -lm -lpthread
//
// `padic --help` has the commands, options and exit codes. Raw files are little-endian with the
// last axis fastest on every machine; .npy files are recognised by their first bytes.

#ifndef _WIN32
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 // fileno, fdopen, realpath, clock_gettime
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
#else
#ifndef _CRT_SECURE_NO_WARNINGS
#define _CRT_SECURE_NO_WARNINGS
#endif
#ifndef __USE_MINGW_ANSI_STDIO
#define __USE_MINGW_ANSI_STDIO 1
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#endif

// Only the codec and its vectors are used here; without the rest it compiles sooner.
#define PADIC_NO_SAMPLE
#define PADIC_NO_WAVE
#define PADIC_NO_TENSOR
#define PADIC_NO_FFT
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include "../backends/padic_threads.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#ifdef _WIN32
#include <io.h>
#include <process.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

// These numbers are a promise: scripts test them. README.md and --help list them.
enum exit_code {
    EXIT_DONE = 0,
    EXIT_USAGE = 1,
    EXIT_FILE = 2,
    EXIT_DTYPE = 3,
    EXIT_BOUND = 4,
    EXIT_SHAPE = 5,
    EXIT_CORRUPT = 6,
    EXIT_CHECKSUM = 7,
    EXIT_VERSION = 8,
    EXIT_REGION = 9,
    EXIT_MEMORY = 10,
    EXIT_MISMATCH = 11,
    EXIT_NOT_SUPPORTED = 12,
    EXIT_OTHER = 13,
    EXIT_PROOF = 14
};

static const char *const help_text =
    "padic packs numeric arrays into the fewest bytes, exactly or within a bound.\n"
    "\n"
    "  padic pack [options] IN OUT      packs a raw or .npy array\n"
    "  padic unpack [options] IN OUT    gives it back; .npy when OUT ends in .npy, else raw\n"
    "  padic info IN                    what a packed file holds and which choices were taken\n"
    "  padic verify [options] IN        decodes everything and compares every checksum\n"
    "  padic cut --begin 0,0 --count 10,20 IN OUT\n"
    "                                   decodes one box; only the blocks it touches are read\n"
    "  padic bench [options] IN...      ratio, speed and proof for each array and level\n"
    "\n"
    "IN and OUT may be - for standard input and output. Standard input is packed, unpacked and\n"
    "verified as it comes, in bounded memory; info, cut and unpack --dtype hold the packed bytes.\n"
    "Raw files are little-endian, the last axis fastest; .npy files may be of either byte order\n"
    "and either axis order, and come back little-endian with the last axis fastest.\n"
    "\n"
    "describing a raw array (a .npy file describes itself)\n"
    "  --dtype D        f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 complex64 complex128;\n"
    "                   with .npy: read elements of the same size as D (bf16 stored as uint16,\n"
    "                   bool as u8, dates as i64)\n"
    "  --shape 643x1197 slowest axis first; the first may be -1: as many as there are. Without it\n"
    "                   the array has one axis\n"
    "\n"
    "packing\n"
    "  --level N        1 (fastest) to 9 (smallest), 5 when not given\n"
    "  --bound B        no value moves by more than B (without it every bit comes back)\n"
    "    --relative     B is a share of the range, max - min, of the array\n"
    "    --pointwise    B is a share of each value\n"
    "    --range R      with --relative: max - min, when the input is a stream\n"
    "  --block 64x64    shape of the blocks that can be decoded alone\n"
    "  --threads N      0: one for each processor; 1 when not given. Changes no byte\n"
    "  --force          pack IN as raw bytes also when it is a packed file, a zip archive or, by\n"
    "                   its name only, a .npy\n"
    "\n"
    "unpacking (unpack, cut, verify)\n"
    "  --dtype D        widen: bf16 and f16 to f32 or f64, f32 to f64 (not verify)\n"
    "  --memory-limit S fail rather than use more working memory than S bytes, 1G when not given;\n"
    "                   K, M, G and T stand for powers of 1024. The packed bytes do not count\n"
    "  --output-limit S fail rather than decode more than S bytes; no limit when not given\n"
    "  --threads N\n"
    "\n"
    "bench\n"
    "  --levels 1,5,9   levels to run (these when not given)\n"
    "  --bound B ...    run float arrays within this bound too\n"
    "  --list FILE      arrays by table: name, dtype, shape and tabs between; NAME.bin lies by it\n"
    "  --seconds S      time for each measurement, 0.3 when not given\n"
    "\n"
    "exit codes\n"
    "   0 done                                  8 written by a newer version\n"
    "   1 the command line makes no sense       9 a box that reaches outside the array\n"
    "   2 a file cannot be read or written     10 not enough memory, or more than a limit\n"
    "   3 not an element type, or not here     11 input and shape do not fit together\n"
    "   4 a bound that is no bound             12 not supported by this build\n"
    "   5 a shape beyond the limits            13 any other failure of the library\n"
    "   6 not a packed file, or cut short      14 bench: a proof failed\n"
    "   7 a packed file that is damaged\n";

// ------------------------------------------------------------------------------------- messages

static void progress_clear(void);

#if defined(__GNUC__) || defined(__clang__)
__attribute__((format(printf, 2, 3)))
#endif
static int fail(int code, const char *format, ...)
{
    va_list list;
    progress_clear();
    fputs("padic: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return code;
}

static int fail_memory(const char *name)
{
    return fail(EXIT_MEMORY, "%s: not enough memory; free some (fewer --threads need less)", name);
}

// For what is held whole; UINT64_MAX bytes: nobody knows how many it would have been.
static int fail_memory_whole(const char *name, uint64_t bytes)
{
    if (bytes == UINT64_MAX || strcmp(name, "standard input") == 0) {
        return fail(EXIT_MEMORY, "%s: not enough memory to hold all of it, as this command must",
                    name);
    }
    return fail(EXIT_MEMORY,
                "%s: not enough memory to hold its %" PRIu64 " bytes, as this command must; pack, "
                "unpack and verify - (standard input) take bounded memory",
                name, bytes);
}

// The sentence and the exit code of a library error. `block` is UINT64_MAX when no block is known.
static int fail_library(padic_result result, const char *name, uint64_t block)
{
    switch (result) {
    case PADIC_OK:
        return EXIT_DONE;
    case PADIC_ERROR_DTYPE:
        return fail(EXIT_DTYPE,
                    "%s: this element type does not go with these options; leave out "
                    "--pointwise for integers, or choose another --dtype",
                    name);
    case PADIC_ERROR_TOLERANCE:
        return fail(EXIT_BOUND,
                    "%s: the bound must be a finite number above 0, and below 1 with "
                    "--pointwise; leave --bound out to keep every bit",
                    name);
    case PADIC_ERROR_LIMIT:
        return fail(EXIT_SHAPE,
                    "%s: beyond a limit: at most 8 axes, 2^63 bytes and 1048576 "
                    "elements a block; check --shape and --block",
                    name);
    case PADIC_ERROR_CORRUPT:
        return fail(EXIT_CORRUPT,
                    "%s: not a whole padic file: it is cut short or not one of ours; "
                    "fetch it again or check the name",
                    name);
    case PADIC_ERROR_CHECKSUM:
        if (block != UINT64_MAX) {
            return fail(EXIT_CHECKSUM,
                        "%s: block %" PRIu64 " is damaged; fetch the file again, or "
                        "cut the boxes that do not touch it",
                        name, block);
        }
        return fail(EXIT_CHECKSUM, "%s: the file is damaged; fetch it again", name);
    case PADIC_ERROR_VERSION:
        return fail(EXIT_VERSION,
                    "%s: written by a newer version of padic than this one (" PADIC_VERSION
                    ", wire version %d); update padic",
                    name, PADIC_CODEC_WIRE_VERSION);
    case PADIC_ERROR_REGION:
        return fail(EXIT_REGION,
                    "%s: the box reaches outside the array; `padic info` prints the "
                    "shape",
                    name);
    case PADIC_ERROR_MEMORY:
        return fail_memory(name);
    case PADIC_ERROR_MISMATCH:
        return fail(EXIT_MISMATCH,
                    "%s: the array and what was asked for differ in dtype or shape; "
                    "`padic info` prints what the file holds",
                    name);
    case PADIC_ERROR_NOT_SUPPORTED:
        return fail(EXIT_NOT_SUPPORTED, "%s: valid, but not supported by this build; update padic",
                    name);
    case PADIC_ERROR_CALLBACK:
        return fail(EXIT_FILE, "%s: cannot be read or written", name);
    default:
        return fail(EXIT_OTHER, "%s: %s", name, padic_result_text(result));
    }
}

static double seconds_now(void)
{
#ifdef _WIN32
    LARGE_INTEGER count, rate;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&rate);
    return (double)count.QuadPart / (double)rate.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

// A bar on standard error, only on a terminal and only for work longer than half a second.
static struct {
    int on, drawn, shares; // shares: one library call does all of it and says how far it is
    double begin, last;
    uint64_t total; // UINT64_MAX: not known
} progress;

static int is_terminal(FILE *file)
{
#ifdef _WIN32
    return _isatty(_fileno(file)) != 0;
#else
    return isatty(fileno(file)) != 0;
#endif
}

static void progress_begin(uint64_t total)
{
    progress.on = is_terminal(stderr);
    progress.drawn = 0;
    progress.total = total;
    progress.begin = progress.last = seconds_now();
}

// `done` bytes of the total.
static void progress_step(uint64_t done)
{
    double now, spent;
    if (!progress.on) {
        return;
    }
    now = seconds_now();
    spent = now - progress.begin;
    if (spent < 0.5 || now - progress.last < 0.1) {
        return;
    }
    progress.last = now;
    progress.drawn = 1;
    if (progress.total == UINT64_MAX || progress.total == 0) {
        fprintf(stderr, "\r%10.1f MB  %7.1f MB/s ", 1e-6 * (double)done,
                1e-6 * (double)done / spent);
    } else {
        char bar[41];
        double share = (double)done / (double)progress.total;
        int full = (int)(share * 40.0), i;
        for (i = 0; i < 40; i++) {
            bar[i] = i < full ? '#' : '.';
        }
        bar[40] = 0;
        fprintf(stderr, "\r[%s] %3d %%  %7.1f MB/s  %.0f s left ", bar, (int)(share * 100.0),
                1e-6 * (double)done / spent, share > 0.0 ? spent / share - spent : 0.0);
    }
    fflush(stderr);
}

static void progress_clear(void)
{
    if (progress.drawn) {
        fprintf(stderr, "\r%79s\r", "");
        progress.drawn = 0;
    }
    progress.on = progress.shares = 0;
}

// Ctrl-C in a library call lets the call stop by itself and then ends the program; anywhere else,
// and the second time, it ends the program at once.
static volatile sig_atomic_t library_busy, library_cancelled;

static void end_by_signal(int number);

static void library_begin(void)
{
    library_busy = 1;
}

static void library_end(void)
{
    library_busy = 0;
    if (library_cancelled) {
        progress_clear();
        end_by_signal(SIGINT);
    }
}

static int library_step(uint64_t done, uint64_t total, void *user)
{
    (void)user;
    if (progress.shares && total) {
        double share = (double)done / (double)total;
        progress_step((uint64_t)(share * (double)progress.total));
    }
    return library_cancelled != 0;
}

// ------------------------------------------------------------------------------ names of things

typedef char shape_buffer[PADIC_MAX_RANK * 24];

static const char *shape_text(uint32_t rank, const uint64_t *shape, const char *between,
                              shape_buffer text)
{
    size_t at = 0;
    uint32_t i;
    if (rank == 0) {
        return "scalar";
    }
    text[0] = 0;
    for (i = 0; i < rank && i < PADIC_MAX_RANK; i++) {
        if (shape[i] == PADIC_CODEC_UNKNOWN) {
            at += (size_t)snprintf(text + at, 24, "%s?", i ? between : "");
        } else {
            at += (size_t)snprintf(text + at, 24, "%s%" PRIu64, i ? between : "", shape[i]);
        }
    }
    return text;
}

static int dtype_is_complex(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128;
}

static int dtype_is_float(padic_dtype dtype)
{
    return dtype == PADIC_F64 || dtype == PADIC_F32 || dtype == PADIC_F16 || dtype == PADIC_BF16 ||
           dtype_is_complex(dtype);
}

// Bytes that are swapped together, and compared with a bound together: half a complex number.
static uint32_t dtype_unit(padic_dtype dtype)
{
    uint32_t size = padic_dtype_size(dtype);
    return dtype_is_complex(dtype) ? size / 2 : size;
}

// The library's names, and numpy's.
static padic_dtype dtype_from_name(const char *name)
{
    static const struct {
        const char *name;
        padic_dtype dtype;
    } other[] = {{"float64", PADIC_F64},   {"float32", PADIC_F32},     {"float16", PADIC_F16},
                 {"bfloat16", PADIC_BF16}, {"int8", PADIC_I8},         {"int16", PADIC_I16},
                 {"int32", PADIC_I32},     {"int64", PADIC_I64},       {"uint8", PADIC_U8},
                 {"uint16", PADIC_U16},    {"uint32", PADIC_U32},      {"uint64", PADIC_U64},
                 {"complex64", PADIC_C64}, {"complex128", PADIC_C128}, {"c64", PADIC_C64},
                 {"c128", PADIC_C128}};
    size_t i;
    int d;
    for (d = PADIC_F64; d <= PADIC_C128; d++) {
        if (strcmp(name, padic_dtype_name((padic_dtype)d)) == 0) {
            return (padic_dtype)d;
        }
    }
    for (i = 0; i < sizeof other / sizeof other[0]; i++) {
        if (strcmp(name, other[i].name) == 0) {
            return other[i].dtype;
        }
    }
    return PADIC_DTYPE_NONE;
}

// Not isfinite(): some compilers' macro of that name converts to float with a warning.
static int is_finite(double x)
{
    return x - x == 0.0;
}

static int host_is_big_endian(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static void swap_bytes(void *data, size_t size, uint32_t unit)
{
    unsigned char *p = (unsigned char *)data;
    size_t at;
    uint32_t i;
    for (at = 0; unit > 1 && at + unit <= size; at += unit) {
        for (i = 0; i < unit / 2; i++) {
            unsigned char byte = p[at + i];
            p[at + i] = p[at + unit - 1 - i];
            p[at + unit - 1 - i] = byte;
        }
    }
}

// Bytes of an array; 0 on overflow or beyond 2^63 (then *fits is 0).
static uint64_t array_bytes(padic_dtype dtype, uint32_t rank, const uint64_t *shape, int *fits)
{
    const uint64_t most = (uint64_t)1 << 63;
    uint64_t bytes = padic_dtype_size(dtype);
    uint32_t i;
    *fits = 1;
    for (i = 0; i < rank; i++) {
        if (shape[i] == 0) {
            return 0;
        }
    }
    for (i = 0; i < rank; i++) {
        if (bytes > most / shape[i]) {
            *fits = 0;
            return 0;
        }
        bytes *= shape[i];
    }
    return bytes;
}

// ---------------------------------------------------------------------------------- command line

enum command { PACK = 1, UNPACK = 2, INFO = 4, VERIFY = 8, CUT = 16, BENCH = 32 };

enum option_id {
    OPTION_DTYPE,
    OPTION_SHAPE,
    OPTION_LEVEL,
    OPTION_LEVELS,
    OPTION_BOUND,
    OPTION_RELATIVE,
    OPTION_POINTWISE,
    OPTION_RANGE,
    OPTION_BLOCK,
    OPTION_THREADS,
    OPTION_MEMORY,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_BEGIN,
    OPTION_COUNT,
    OPTION_LIST,
    OPTION_SECONDS
};

static const struct option_row {
    const char *name;
    enum option_id id;
    int has_value;
    int commands;
} option_rows[] = {
    {"--dtype", OPTION_DTYPE, 1, PACK | UNPACK | CUT | BENCH},
    {"--shape", OPTION_SHAPE, 1, PACK | BENCH},
    {"--level", OPTION_LEVEL, 1, PACK | BENCH},
    {"--levels", OPTION_LEVELS, 1, BENCH},
    {"--bound", OPTION_BOUND, 1, PACK | BENCH},
    {"--relative", OPTION_RELATIVE, 0, PACK | BENCH},
    {"--pointwise", OPTION_POINTWISE, 0, PACK | BENCH},
    {"--range", OPTION_RANGE, 1, PACK},
    {"--block", OPTION_BLOCK, 1, PACK | BENCH},
    {"--threads", OPTION_THREADS, 1, PACK | UNPACK | VERIFY | CUT | BENCH},
    {"--memory-limit", OPTION_MEMORY, 1, UNPACK | VERIFY | CUT},
    {"--memory", OPTION_MEMORY, 1, UNPACK | CUT}, // as it was called before
    {"--output-limit", OPTION_OUTPUT, 1, UNPACK | VERIFY | CUT},
    {"--force", OPTION_FORCE, 0, PACK | BENCH},
    {"--begin", OPTION_BEGIN, 1, CUT},
    {"--count", OPTION_COUNT, 1, CUT},
    {"--list", OPTION_LIST, 1, BENCH},
    {"--seconds", OPTION_SECONDS, 1, BENCH},
};

typedef struct options {
    enum command command;
    char **operands;
    int operand_count;
    padic_dtype dtype;
    int has_shape;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK]; // shape[0] is PADIC_CODEC_UNKNOWN for -1
    int levels[9], level_count;
    padic_codec_tolerance_mode tolerance_mode;
    double tolerance, range;
    uint32_t block_rank;
    uint64_t block[PADIC_MAX_RANK];
    uint32_t threads;
    uint64_t memory, output; // limits; output 0: none
    int force;
    uint32_t begin_rank, count_rank;
    uint64_t begin[PADIC_MAX_RANK], count[PADIC_MAX_RANK];
    const char *list;
    double seconds;
} options;

// One decimal number at *text; 1 when there is none, 2 when it does not fit.
static int parse_number(const char **text, uint64_t *number)
{
    const char *p = *text;
    uint64_t n = 0;
    if (*p < '0' || *p > '9') {
        return 1;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (UINT64_MAX - 1 - digit) / 10) {
            return 2;
        }
        n = n * 10 + digit;
    }
    *text = p;
    *number = n;
    return 0;
}

// Numbers with x or a comma between. `open` allows -1 in front, which gives PADIC_CODEC_UNKNOWN.
static int parse_list(const char *option, const char *text, int open, uint32_t *rank,
                      uint64_t *numbers)
{
    const char *p = text;
    *rank = 0;
    for (;;) {
        int wrong;
        if (*rank == PADIC_MAX_RANK) {
            return fail(EXIT_SHAPE, "%s %s has more than %d axes; join some of them", option, text,
                        PADIC_MAX_RANK);
        }
        if (open && *rank == 0 && p[0] == '-' && p[1] == '1') {
            numbers[0] = PADIC_CODEC_UNKNOWN;
            p += 2;
            wrong = 0;
        } else {
            wrong = parse_number(&p, &numbers[*rank]);
        }
        if (wrong == 2) {
            return fail(EXIT_SHAPE, "%s %s holds a number that does not fit 64 bits", option, text);
        }
        *rank += 1;
        if (!wrong && *p == 0) {
            return EXIT_DONE;
        }
        if (wrong || (*p != 'x' && *p != ',')) {
            return fail(EXIT_USAGE, "%s %s is not a list of whole numbers such as 64x48", option,
                        text);
        }
        p++;
    }
}

static int parse_double(const char *option, const char *text, double *number)
{
    char *end = NULL;
    *number = strtod(text, &end);
    if (end == text || *end) {
        return fail(EXIT_USAGE, "%s %s is not a number; write for example %s 1e-3", option, text,
                    option);
    }
    return EXIT_DONE;
}

static int parse_levels(const char *option, const char *text, options *o)
{
    const char *p = text;
    o->level_count = 0;
    for (;;) {
        uint64_t level = 0;
        if (parse_number(&p, &level) || level < 1 || level > 9 || o->level_count == 9) {
            return fail(EXIT_USAGE, "%s %s: a level is 1 (fastest) to 9 (smallest)", option, text);
        }
        o->levels[o->level_count++] = (int)level;
        if (*p == 0) {
            break;
        }
        if (*p++ != ',') {
            return fail(EXIT_USAGE, "%s %s: a level is 1 (fastest) to 9 (smallest)", option, text);
        }
    }
    if (o->level_count > 1 && o->command == PACK) {
        return fail(EXIT_USAGE, "pack takes one level; `padic bench --levels %s` compares them",
                    text);
    }
    return EXIT_DONE;
}

static int parse_whole(const char *option, const char *text, uint64_t most, uint64_t *number)
{
    const char *p = text;
    if (parse_number(&p, number) || *p || *number > most) {
        return fail(EXIT_USAGE, "%s %s is not a whole number from 0 to %" PRIu64, option, text,
                    most);
    }
    return EXIT_DONE;
}

// Bytes, with K, M, G or T for powers of 1024 behind; above 0.
static int parse_size(const char *option, const char *text, uint64_t *size)
{
    static const char units[] = "KMGT";
    const char *p = text, *unit = NULL;
    int wrong = parse_number(&p, size), shift = 0;
    if (!wrong && *p) {
        unit = strchr(units, *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
        shift = unit ? 10 * (int)(unit - units + 1) : 0;
        p += unit != NULL;
    }
    if (wrong || *p || *size == 0 || *size > (UINT64_MAX - 1) >> shift) {
        return fail(EXIT_USAGE,
                    "%s %s is not a number of bytes above 0 and below 2^64, such as 300M or 2G",
                    option, text);
    }
    *size <<= shift;
    return EXIT_DONE;
}

static int parse_option(enum option_id id, const char *name, const char *value, options *o)
{
    uint64_t number = 0;
    int code = EXIT_DONE;
    switch (id) {
    case OPTION_DTYPE:
        o->dtype = dtype_from_name(value);
        if (o->dtype == PADIC_DTYPE_NONE) {
            code = fail(EXIT_DTYPE,
                        "--dtype %s is not an element type; use one of f64 f32 f16 "
                        "bf16 i8 i16 i32 i64 u8 u16 u32 u64 complex64 complex128",
                        value);
        }
        break;
    case OPTION_SHAPE:
        o->has_shape = 1;
        code = parse_list(name, value, 1, &o->rank, o->shape);
        break;
    case OPTION_LEVEL:
    case OPTION_LEVELS:
        code = parse_levels(name, value, o);
        break;
    case OPTION_BOUND:
        code = parse_double(name, value, &o->tolerance);
        if (o->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE) {
            o->tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
        }
        break;
    case OPTION_RELATIVE:
    case OPTION_POINTWISE:
        if (o->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE ||
            o->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE) {
            return fail(EXIT_USAGE, "give --relative or --pointwise once, not both");
        }
        o->tolerance_mode =
            id == OPTION_RELATIVE ? PADIC_CODEC_TOLERANCE_RANGE : PADIC_CODEC_TOLERANCE_POINTWISE;
        break;
    case OPTION_RANGE:
        code = parse_double(name, value, &o->range);
        if (!code && !(o->range > 0.0 && is_finite(o->range))) {
            code = fail(EXIT_BOUND, "--range %s: max - min must be a finite number above 0", value);
        }
        break;
    case OPTION_BLOCK:
        code = parse_list(name, value, 0, &o->block_rank, o->block);
        for (number = 0; !code && number < o->block_rank; number++) {
            if (o->block[number] == 0) {
                code = fail(EXIT_SHAPE, "--block %s: every extent must be 1 or more", value);
            }
        }
        break;
    case OPTION_THREADS:
        code = parse_whole(name, value, 256, &number);
        o->threads = (uint32_t)number;
        break;
    case OPTION_MEMORY:
        code = parse_size(name, value, &o->memory);
        break;
    case OPTION_OUTPUT:
        code = parse_size(name, value, &o->output);
        break;
    case OPTION_FORCE:
        o->force = 1;
        break;
    case OPTION_BEGIN:
        code = parse_list(name, value, 0, &o->begin_rank, o->begin);
        break;
    case OPTION_COUNT:
        code = parse_list(name, value, 0, &o->count_rank, o->count);
        break;
    case OPTION_LIST:
        o->list = value;
        break;
    case OPTION_SECONDS:
        code = parse_double(name, value, &o->seconds);
        if (!code && !(o->seconds >= 0.0 && o->seconds <= 3600.0)) {
            code = fail(EXIT_USAGE, "--seconds %s is not from 0 to 3600", value);
        }
        break;
    }
    return code;
}

// Options may stand anywhere, as `--name value` or `--name=value`; `--` ends them. The operands are
// moved to the front of argv.
static int parse_arguments(int argc, char **argv, options *o)
{
    int i, ended = 0, has_bound = 0;
    o->operands = argv;
    for (i = 0; i < argc; i++) {
        const char *value = NULL;
        size_t row, length;
        int code;
        if (ended || argv[i][0] != '-' || argv[i][1] == 0) {
            argv[o->operand_count++] = argv[i];
            continue;
        }
        if (strcmp(argv[i], "--") == 0) {
            ended = 1;
            continue;
        }
        length = strcspn(argv[i], "=");
        for (row = 0; row < sizeof option_rows / sizeof option_rows[0]; row++) {
            if (strlen(option_rows[row].name) == length &&
                memcmp(option_rows[row].name, argv[i], length) == 0) {
                break;
            }
        }
        if (row == sizeof option_rows / sizeof option_rows[0] ||
            !(option_rows[row].commands & (int)o->command)) {
            return fail(EXIT_USAGE, "%.*s is not an option of this command; see padic --help",
                        (int)length, argv[i]);
        }
        if (option_rows[row].has_value) {
            if (argv[i][length] == '=') {
                value = argv[i] + length + 1;
            } else if (i + 1 < argc) {
                value = argv[++i];
            } else {
                return fail(EXIT_USAGE, "%s needs a value; see padic --help",
                            option_rows[row].name);
            }
        } else if (argv[i][length] == '=') {
            return fail(EXIT_USAGE, "%s takes no value", option_rows[row].name);
        }
        has_bound |= option_rows[row].id == OPTION_BOUND;
        code = parse_option(option_rows[row].id, option_rows[row].name, value, o);
        if (code) {
            return code;
        }
    }
    if (o->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE && !has_bound) {
        return fail(EXIT_USAGE, "--relative and --pointwise say what --bound means; add --bound "
                                "1e-3, for example");
    }
    if (o->range > 0.0 && o->tolerance_mode != PADIC_CODEC_TOLERANCE_RANGE) {
        return fail(EXIT_USAGE, "--range goes with --bound and --relative; add both");
    }
    return EXIT_DONE;
}

// ----------------------------------------------------------------------------------------- input

typedef struct input {
    const char *name; // for messages
    FILE *file;
    int regular; // a file of known size
    uint64_t size, at;
    unsigned char head[8]; // read ahead to recognise what it is
    size_t head_size, head_at;
} input;

static int is_stream_name(const char *name)
{
    return strcmp(name, "-") == 0;
}

static int input_open(input *in, const char *name)
{
    memset(in, 0, sizeof *in);
    in->name = name;
    if (is_stream_name(name)) {
        in->name = "standard input";
        in->file = stdin;
#ifdef _WIN32
        _setmode(_fileno(stdin), _O_BINARY);
#endif
    } else {
#ifdef _WIN32
        struct _stat64 state;
        int known = _stat64(name, &state) == 0;
        int directory = known && (state.st_mode & _S_IFMT) == _S_IFDIR;
        in->regular = known && (state.st_mode & _S_IFMT) == _S_IFREG;
#else
        struct stat state;
        int known = stat(name, &state) == 0;
        int directory = known && S_ISDIR(state.st_mode);
        in->regular = known && S_ISREG(state.st_mode);
#endif
        if (directory) {
            return fail(EXIT_FILE, "%s is a directory; name a file", name);
        }
        in->size = in->regular ? (uint64_t)state.st_size : 0;
        in->file = fopen(name, "rb");
        if (!in->file) {
            return fail(EXIT_FILE, "cannot read %s: %s", name, strerror(errno));
        }
    }
    in->head_size = fread(in->head, 1, sizeof in->head, in->file);
    if (in->regular && in->size < in->head_size) {
        in->regular = 0; // such as those of /proc, which say 0
        in->size = 0;
    }
    if (in->head_size < sizeof in->head && ferror(in->file)) {
        int code = fail(EXIT_FILE, "cannot read %s: %s", in->name, strerror(errno));
        if (in->file != stdin) {
            fclose(in->file);
        }
        in->file = NULL;
        return code;
    }
    return EXIT_DONE;
}

static void input_close(input *in)
{
    if (in->file && in->file != stdin) {
        fclose(in->file);
    }
    in->file = NULL;
}

// Less than `size` only at the end of the file, or when ferror(in->file) is set.
static size_t input_read(input *in, void *data, size_t size)
{
    size_t got = in->head_size - in->head_at;
    if (got > size) {
        got = size;
    }
    memcpy(data, in->head + in->head_at, got);
    in->head_at += got;
    if (got < size) {
        got += fread((char *)data + got, 1, size - got, in->file);
    }
    in->at += got;
    return got;
}

static int input_failed(const input *in)
{
    return fail(EXIT_FILE, "cannot read %s: %s", in->name, strerror(errno));
}

// What is left of the input; the caller frees.
static int input_load_rest(input *in, unsigned char **data, size_t *size)
{
    size_t room = 1 << 16;
    *data = NULL;
    *size = 0;
    if (in->regular && in->size > in->at) {
        uint64_t rest = in->size - in->at + 1; // one more, so that the end is seen at once
        if (rest > SIZE_MAX) {
            return fail_memory_whole(in->name, in->size);
        }
        room = (size_t)rest;
    }
    for (;;) {
        size_t got;
        unsigned char *more = (unsigned char *)realloc(*data, room);
        if (!more) {
            free(*data);
            *data = NULL;
            return fail_memory_whole(in->name, in->regular ? in->size : UINT64_MAX);
        }
        *data = more;
        got = input_read(in, *data + *size, room - *size);
        *size += got;
        if (*size < room) {
            break;
        }
        if (room > SIZE_MAX / 2) {
            free(*data);
            *data = NULL;
            return fail_memory_whole(in->name, UINT64_MAX);
        }
        room *= 2;
    }
    if (ferror(in->file)) {
        free(*data);
        *data = NULL;
        return input_failed(in);
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------- output
//
// A file is written beside its target under another name and renamed when all of it is there, so
// that a failure leaves the target as it was. Pipes and devices are written directly.

typedef struct output {
    const char *name; // for messages
    char *target;
    FILE *file;
    int temporary;
    int failed; // errno of the first write that failed
} output;

static char temporary_name[4400]; // a signal handler reads it, hence not in the struct
static volatile sig_atomic_t temporary_live;

static void remove_temporary(void)
{
    if (temporary_live) {
        temporary_live = 0;
#ifdef _WIN32
        remove(temporary_name);
#else
        unlink(temporary_name);
#endif
    }
}

// Whoever waits for this process is to see the signal.
static void end_by_signal(int number)
{
    remove_temporary();
    signal(number, SIG_DFL);
#ifndef _WIN32
    {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, number);
        sigprocmask(SIG_UNBLOCK, &one, NULL);
    }
#endif
    raise(number);
}

static void on_signal(int number)
{
    if (number == SIGINT && library_busy && !library_cancelled) {
        library_cancelled = 1;
#ifdef _WIN32
        signal(number, on_signal);
#endif
        return;
    }
    end_by_signal(number);
}

// The signals that end a program and come from outside or from writing. SIGXFSZ and SIGPIPE too:
// they would leave the temporary file.
static const int ending_signals[] = {
    SIGINT, SIGTERM,
#ifndef _WIN32
    SIGHUP, SIGQUIT, SIGPIPE, SIGXFSZ, SIGXCPU, SIGALRM, SIGUSR1, SIGUSR2,
#endif
};

// A signal that is ignored (nohup, a background job) stays so.
static void watch_signals(void)
{
    size_t i;
    for (i = 0; i < sizeof ending_signals / sizeof ending_signals[0]; i++) {
#ifdef _WIN32
        if (signal(ending_signals[i], on_signal) == SIG_IGN) {
            signal(ending_signals[i], SIG_IGN);
        }
#else
        struct sigaction action;
        if (sigaction(ending_signals[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            memset(&action, 0, sizeof action);
            action.sa_handler = on_signal;
            action.sa_flags = SA_RESTART;
            sigaction(ending_signals[i], &action, NULL);
        }
#endif
    }
}

// `name` NULL: standard output.
static int same_file(const input *in, const char *name)
{
#ifdef _WIN32
    char one[_MAX_PATH], two[_MAX_PATH];
    return name && in->file != stdin && _fullpath(one, in->name, _MAX_PATH) &&
           _fullpath(two, name, _MAX_PATH) && _stricmp(one, two) == 0;
#else
    struct stat one, two;
    return fstat(fileno(in->file), &one) == 0 &&
           (name ? stat(name, &two) : fstat(fileno(stdout), &two)) == 0 && S_ISREG(two.st_mode) &&
           one.st_dev == two.st_dev && one.st_ino == two.st_ino;
#endif
}

// Opens a name beside `target` that no file has yet.
static FILE *open_temporary(const char *target, unsigned mode)
{
    int attempt, handle = -1, wrong;
    FILE *file;
#ifndef _WIN32
    sigset_t all, before; // no signal between the file and the note that it is there
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
#endif
    for (attempt = 0; attempt < 100 && handle < 0; attempt++) {
#ifdef _WIN32
        snprintf(temporary_name, sizeof temporary_name, "%s.%d-%d.tmp", target, (int)_getpid(),
                 attempt);
        handle =
            _open(temporary_name, _O_CREAT | _O_EXCL | _O_WRONLY | _O_BINARY, _S_IREAD | _S_IWRITE);
#else
        snprintf(temporary_name, sizeof temporary_name, "%s.%ld-%d.tmp", target, (long)getpid(),
                 attempt);
        handle = open(temporary_name, O_CREAT | O_EXCL | O_WRONLY, (mode_t)mode);
#endif
        if (handle < 0 && errno != EEXIST) {
            break;
        }
    }
    temporary_live = handle >= 0;
    wrong = errno;
#ifndef _WIN32
    sigprocmask(SIG_SETMASK, &before, NULL);
#endif
    if (handle < 0) {
        errno = wrong;
        return NULL;
    }
#ifdef _WIN32
    (void)mode;
    file = _fdopen(handle, "wb");
#else
    if (mode != 0666u) {
        (void)fchmod(handle, (mode_t)mode); // an existing file keeps its mode, whatever the umask
    }
    file = fdopen(handle, "wb");
#endif
    if (!file) {
        remove_temporary();
    }
    return file;
}

static int output_open(output *out, const char *name, const input *in)
{
    unsigned mode = 0666u;
    int direct = 0;
    memset(out, 0, sizeof *out);
    out->name = name;
    if (is_stream_name(name)) {
        out->name = "standard output";
        out->file = stdout;
#ifdef _WIN32
        _setmode(_fileno(stdout), _O_BINARY);
#else
        if (is_terminal(stdout)) {
            return fail(EXIT_USAGE, "standard output is a terminal; name a file or use a pipe");
        }
#endif
        if (same_file(in, NULL)) {
            return fail(EXIT_USAGE,
                        "%s: IN and standard output are the same file; write to another one",
                        in->name);
        }
        return EXIT_DONE;
    }
    if (same_file(in, name)) {
        return fail(EXIT_USAGE, "IN and OUT are the same file, %s; give OUT another name", name);
    }
    if (strlen(name) > 4300) {
        return fail(EXIT_FILE, "cannot write %s: a name of more than 4300 bytes", name);
    }
#ifndef _WIN32
    {
        struct stat state;
        if (stat(name, &state) == 0) {
            if (S_ISDIR(state.st_mode)) {
                return fail(EXIT_FILE, "%s is a directory; name a file", name);
            }
            direct = !S_ISREG(state.st_mode);
            mode = (unsigned)state.st_mode & 07777u;
            out->target = realpath(name, NULL); // through a link to what it names
            if (out->target && strlen(out->target) > 4300) {
                free(out->target);
                out->target = NULL;
            }
        }
    }
#endif
    if (!out->target) {
        out->target = (char *)malloc(strlen(name) + 1);
        if (!out->target) {
            return fail_memory(name);
        }
        strcpy(out->target, name);
    }
    out->temporary = !direct;
    out->file = direct ? fopen(name, "wb") : open_temporary(out->target, mode);
    if (!out->file) {
        int code = fail(EXIT_FILE, "cannot write %s: %s", name, strerror(errno));
        free(out->target);
        out->target = NULL;
        return code;
    }
    return EXIT_DONE;
}

static int output_write(output *out, const void *data, size_t size)
{
    if (!out->failed && size && fwrite(data, 1, size, out->file) != size) {
        out->failed = errno ? errno : EIO;
    }
    return out->failed;
}

static int output_failed(const output *out)
{
    return fail(EXIT_FILE, "cannot write %s: %s", out->name, strerror(out->failed));
}

// Ends the output. With `code` 0 the file takes its name, otherwise nothing is left of it.
static int output_close(output *out, int code)
{
    if (!out->file) {
        return code;
    }
    if (!code && (fflush(out->file) || ferror(out->file))) {
        out->failed = errno ? errno : EIO;
    }
    if (out->file != stdout && fclose(out->file) && !code && !out->failed) {
        out->failed = errno ? errno : EIO;
    }
    if (!code && !out->failed && out->temporary) {
#ifdef _WIN32
        if (!MoveFileExA(temporary_name, out->target, MOVEFILE_REPLACE_EXISTING)) {
            out->failed = EACCES;
        }
#else
        if (rename(temporary_name, out->target)) {
            out->failed = errno;
        }
#endif
        if (!out->failed) {
            temporary_live = 0;
        }
    }
    if (!code && out->failed) {
        code = output_failed(out);
    }
    if (out->temporary) {
        remove_temporary();
    }
    free(out->target);
    out->target = NULL;
    out->file = NULL;
    return code;
}

// The library calls these two: waiting for a pipe is not its work.
static int write_to_output(const void *data, size_t size, void *user)
{
    int failed;
    library_end();
    failed = output_write((output *)user, data, size);
    library_begin();
    return failed;
}

static int read_from_input(void *data, size_t size, size_t *got, void *user)
{
    input *in = (input *)user;
    library_end();
    *got = input_read(in, data, size);
    library_begin();
    return *got < size && ferror(in->file);
}

// ------------------------------------------------------------------------------------------ .npy

typedef struct npy_header {
    char order;    // '<' or '>'
    char kind;     // 'f', 'i', 'u', 'c', 'b', 'V', ...; '[' for a record
    char descr[32];
    uint32_t size; // bytes of an element
    int fortran;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
} npy_header;

static int is_npy(const input *in)
{
    return in->head_size >= 6 && memcmp(in->head, "\x93NUMPY", 6) == 0;
}

static const char *skip_space(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') {
        p++;
    }
    return p;
}

// A quoted string without escapes; NULL when there is none.
static const char *npy_string(const char *p, char *text, size_t room)
{
    char quote = *p;
    size_t n = 0;
    if (quote != '\'' && quote != '"') {
        return NULL;
    }
    for (p++; *p && *p != quote; p++) {
        if (*p == '\\' || n + 1 >= room) {
            return NULL;
        }
        text[n++] = *p;
    }
    text[n] = 0;
    return *p ? p + 1 : NULL;
}

static const char *npy_shape(const char *p, npy_header *h, int *code)
{
    if (*p != '(') {
        return NULL;
    }
    for (p = skip_space(p + 1); *p != ')'; p = skip_space(p)) {
        uint64_t extent = 0;
        int wrong = parse_number(&p, &extent);
        if (wrong == 2 || (!wrong && h->rank == PADIC_MAX_RANK)) {
            *code = EXIT_SHAPE;
            return NULL;
        }
        if (wrong) {
            return NULL;
        }
        h->shape[h->rank++] = extent;
        p = skip_space(*p == 'L' ? p + 1 : p); // Python 2 wrote 3L
        if (*p == ',') {
            p++;
        } else if (*p != ')') {
            return NULL;
        }
    }
    return p + 1;
}

static const char *npy_descr(const char *p, npy_header *h)
{
    const char *digits = h->descr;
    uint64_t size = 0;
    if (*p == '[' || *p == '(') {
        h->kind = '[';
        return p + strlen(p); // a record: nothing after it matters
    }
    p = npy_string(p, h->descr, sizeof h->descr);
    if (!p) {
        return NULL;
    }
    h->order = *digits == '=' && host_is_big_endian() ? '>' : '<'; // bytes without an order, too
    if (*digits == '<' || *digits == '>') {
        h->order = *digits++;
    } else if (*digits == '|' || *digits == '=') {
        digits++;
    }
    h->kind = *digits ? *digits++ : '?';
    if (parse_number(&digits, &size) || size > 1u << 20) {
        size = 0;
    }
    if (*digits && (*digits != '[' || (h->kind != 'M' && h->kind != 'm'))) { // M8[ns]
        size = 0;
    }
    h->size = (uint32_t)size;
    return p;
}

// The Python dict of the header: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
static int npy_parse(const char *p, npy_header *h)
{
    int code = EXIT_CORRUPT, seen = 0;
    p = skip_space(p);
    if (*p++ != '{') {
        return code;
    }
    while (p) {
        char key[16];
        p = skip_space(p);
        if (*p == '}') {
            break;
        }
        p = npy_string(p, key, sizeof key);
        p = p ? skip_space(p) : p;
        if (!p || *p++ != ':') {
            return code;
        }
        p = skip_space(p);
        if (strcmp(key, "descr") == 0) {
            seen |= 1;
            p = npy_descr(p, h);
            if (h->kind == '[') {
                return EXIT_DONE;
            }
        } else if (strcmp(key, "fortran_order") == 0) {
            seen |= 2;
            h->fortran = strncmp(p, "True", 4) == 0;
            p = h->fortran ? p + 4 : strncmp(p, "False", 5) == 0 ? p + 5 : NULL;
        } else if (strcmp(key, "shape") == 0) {
            seen |= 4;
            p = npy_shape(p, h, &code);
        } else {
            return code;
        }
        p = p ? skip_space(p) : p;
        if (p && *p == ',') {
            p++;
        } else if (p && *p != '}') {
            return code;
        }
    }
    return p && seen == 7 ? EXIT_DONE : code;
}

static int npy_read_header(input *in, npy_header *h)
{
    unsigned char start[12];
    uint32_t length, most = 1u << 20;
    size_t extra;
    char *text;
    int code;
    memset(h, 0, sizeof *h);
    if (input_read(in, start, 8) != 8 || start[6] < 1 || start[6] > 3) {
        return fail(EXIT_CORRUPT,
                    "%s: a .npy file of an unknown version; save it again with "
                    "numpy.save",
                    in->name);
    }
    extra = start[6] == 1 ? 2 : 4;
    if (input_read(in, start + 8, extra) != extra) {
        return fail(EXIT_CORRUPT, "%s: a .npy file that is cut short; fetch it again", in->name);
    }
    length = (uint32_t)start[8] | (uint32_t)start[9] << 8;
    if (extra == 4) {
        length |= (uint32_t)start[10] << 16 | (uint32_t)start[11] << 24;
    }
    if (length > most) {
        return fail(EXIT_CORRUPT,
                    "%s: the .npy header is damaged (it claims to be %" PRIu32 " bytes long); save "
                    "it again with numpy.save",
                    in->name, length);
    }
    text = (char *)malloc((size_t)length + 1);
    if (!text) {
        return fail_memory(in->name);
    }
    if (input_read(in, text, length) != length) {
        free(text);
        return fail(EXIT_CORRUPT, "%s: a .npy file that is cut short; fetch it again", in->name);
    }
    text[length] = 0;
    code = npy_parse(text, h);
    free(text);
    if (code == EXIT_SHAPE) {
        return fail(code, "%s: more than %d axes or an extent beyond 64 bits; reshape it", in->name,
                    PADIC_MAX_RANK);
    }
    return code ? fail(code, "%s: the .npy header is damaged; save it again with numpy.save",
                       in->name)
                : EXIT_DONE;
}

// Says why a dtype of numpy is not packed and what to do instead.
static int npy_foreign(const input *in, const npy_header *h)
{
    const char *what = "of a type that is not known here", *instead = "convert them to numbers";
    switch (h->kind) {
    case '[':
        return fail(EXIT_DTYPE, "%s: an array of records; save each field on its own", in->name);
    case 'b':
        return fail(EXIT_DTYPE, "%s: an array of bool; add --dtype u8 to pack it as bytes",
                    in->name);
    case 'f':
        what = "long double";
        instead = "convert them with astype('f8'), which rounds";
        break;
    case 'c':
        what = "complex long double";
        instead = "convert them with astype('c16'), which rounds";
        break;
    case 'O':
        what = "Python objects";
        break;
    case 'U':
    case 'S':
    case 'a':
        what = "text";
        instead = "view them as bytes with view('u1')";
        break;
    case 'M':
    case 'm':
        what = "dates or times";
        instead = "add --dtype i64 to pack them as the integers that they are";
        break;
    case 'V':
        what = "bytes without a type";
        instead = "say with --dtype what they are (V2: --dtype bf16), or view them as numbers";
        break;
    default:
        break;
    }
    return fail(EXIT_DTYPE, "%s: elements of type %s (%s) are not packed; %s", in->name, h->descr,
                what, instead);
}

static int npy_dtype(const input *in, const npy_header *h, padic_dtype wanted, padic_dtype *dtype)
{
    static const struct {
        char kind;
        unsigned char size;
        padic_dtype dtype;
    } known[] = {{'f', 8, PADIC_F64},  {'f', 4, PADIC_F32}, {'f', 2, PADIC_F16},
                 {'i', 1, PADIC_I8},   {'i', 2, PADIC_I16}, {'i', 4, PADIC_I32},
                 {'i', 8, PADIC_I64},  {'u', 1, PADIC_U8},  {'u', 2, PADIC_U16},
                 {'u', 4, PADIC_U32},  {'u', 8, PADIC_U64}, {'c', 8, PADIC_C64},
                 {'c', 16, PADIC_C128}};
    size_t i;
    *dtype = PADIC_DTYPE_NONE;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].kind == h->kind && known[i].size == h->size) {
            *dtype = known[i].dtype;
        }
    }
    if (wanted) {
        int readable = *dtype || h->kind == 'V' || (h->kind == 'b' && h->size == 1) ||
                       ((h->kind == 'M' || h->kind == 'm') && h->size == 8);
        if (!readable || padic_dtype_size(wanted) != h->size) {
            return fail(EXIT_DTYPE,
                        "%s: its elements (%s) cannot be read as --dtype %s; leave --dtype out",
                        in->name, h->kind == '[' ? "records" : h->descr, padic_dtype_name(wanted));
        }
        *dtype = wanted;
        return EXIT_DONE;
    }
    return *dtype ? EXIT_DONE : npy_foreign(in, h);
}

// Writes a version 1.0 header; `width` pads it to a given length (0: as short as it gets). Returns
// its length, or 0 for a dtype that .npy cannot name.
static size_t npy_make_header(char *header, size_t room, padic_dtype dtype, uint32_t rank,
                              const uint64_t *shape, size_t width)
{
    static const char *const names[] = {"",    "<f8", "<f4", "<f2", "",    "|i1", "<i2", "<i4",
                                        "<i8", "|u1", "<u2", "<u4", "<u8", "<c8", "<c16"};
    shape_buffer text;
    size_t length, total;
    if (dtype == PADIC_BF16) {
        return 0;
    }
    length = (size_t)snprintf(
        header + 10, room - 10, "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
        names[dtype], rank ? shape_text(rank, shape, ", ", text) : "", rank == 1 ? "," : "");
    total = (10 + length + 1 + 63) / 64 * 64;
    if (total < width) {
        total = width;
    }
    memset(header + 10 + length, ' ', total - 10 - length);
    header[total - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(unsigned char)((total - 10) & 255);
    header[9] = (char)(unsigned char)((total - 10) >> 8);
    return total;
}

static int ends_in_npy(const char *name)
{
    size_t n = strlen(name);
    return n >= 4 && strcmp(name + n - 4, ".npy") == 0;
}

static int output_npy_header(output *out, padic_dtype dtype, uint32_t rank, const uint64_t *shape,
                             size_t *width)
{
    char header[512];
    size_t length = npy_make_header(header, sizeof header, dtype, rank, shape, *width);
    if (!length) {
        return fail(EXIT_DTYPE,
                    "%s: .npy has no bf16; add --dtype f32 to widen, or write a raw file",
                    out->name);
    }
    *width = length;
    return output_write(out, header, length) ? output_failed(out) : EXIT_DONE;
}

// ------------------------------------------------------------------------- an array as it is read

typedef struct source {
    input in;
    padic_dtype dtype;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
    uint64_t bytes; // of the array; UINT64_MAX: until the input ends
    int npy, fortran, swap;
} source;

static int source_longer(const source *s)
{
    if (s->npy) {
        return fail(EXIT_MISMATCH,
                    "%s: other bytes follow after the array of the .npy; several arrays in one "
                    "file are not packed, so save each on its own, or fetch the file again",
                    s->in.name);
    }
    return fail(EXIT_MISMATCH,
                "%s: goes on after the %" PRIu64 " bytes of the shape; check --dtype and --shape",
                s->in.name, s->bytes);
}

// Fills in a first extent of -1 and compares the shape with the size of the file.
static int source_fit(source *s)
{
    shape_buffer text;
    const char *name = s->in.name;
    uint32_t element = padic_dtype_size(s->dtype);
    int fits = 1, open = s->rank && s->shape[0] == PADIC_CODEC_UNKNOWN;
    uint64_t have = s->in.size - s->in.at;
    if (open) {
        uint64_t row = array_bytes(s->dtype, s->rank - 1, s->shape + 1, &fits);
        if (!fits || row == 0) {
            return fail(EXIT_SHAPE,
                        "%s: with a first extent of -1 the others must be above 0 and "
                        "below 2^63 bytes together",
                        name);
        }
        s->bytes = UINT64_MAX;
        if (!s->in.regular) {
            return EXIT_DONE;
        }
        if (have % row) {
            return fail(EXIT_MISMATCH,
                        "%s: its %" PRIu64 " bytes are no multiple of %" PRIu64
                        " (%s); check --dtype and --shape",
                        name, have, row, row == element ? "one element" : "one row of the shape");
        }
        s->shape[0] = have / row;
        s->bytes = have;
        return EXIT_DONE;
    }
    s->bytes = array_bytes(s->dtype, s->rank, s->shape, &fits);
    if (!fits) {
        return fail(EXIT_SHAPE, "%s: an array of shape %s is larger than 2^63 bytes; check --shape",
                    name, shape_text(s->rank, s->shape, "x", text));
    }
    if (s->in.regular && s->npy && have > s->bytes) {
        return source_longer(s);
    }
    if (s->in.regular && s->npy && have < s->bytes) {
        return fail(EXIT_MISMATCH,
                    "%s: a .npy file that is cut short: %" PRIu64 " of the %" PRIu64
                    " bytes of its array are there; fetch the file again",
                    name, have, s->bytes);
    }
    if (s->in.regular && have != s->bytes) {
        return fail(EXIT_MISMATCH,
                    "%s: holds %" PRIu64 " bytes, but %s %s takes %" PRIu64
                    "; check --dtype and --shape, or fetch the file again",
                    name, have, padic_dtype_name(s->dtype),
                    shape_text(s->rank, s->shape, "x", text), s->bytes);
    }
    return EXIT_DONE;
}

// What is no array at all: packed as raw bytes it would come back, and be of no use as numbers.
static int source_foreign(const input *in)
{
    if (in->head_size >= 4 && memcmp(in->head, "PADC", 4) == 0) {
        return fail(EXIT_USAGE,
                    "%s: packed already (`padic info` shows what it holds); add --force to pack "
                    "its bytes once more",
                    in->name);
    }
    if (in->head_size >= 4 && memcmp(in->head, "PK", 2) == 0 &&
        (memcmp(in->head + 2, "\3\4", 2) == 0 || memcmp(in->head + 2, "\5\6", 2) == 0)) {
        return fail(EXIT_USAGE,
                    "%s: a zip archive (numpy.savez writes such .npz files); unzip it and pack "
                    "each .npy in it, or add --force and --dtype to pack its bytes",
                    in->name);
    }
    if (ends_in_npy(in->name)) {
        return fail(EXIT_CORRUPT,
                    "%s: not a .npy file in spite of its name (%s); fetch it again, or add "
                    "--force and --dtype if it is raw",
                    in->name,
                    in->head_size ? "its first bytes are not \\x93NUMPY" : "it is empty");
    }
    return EXIT_DONE;
}

static int source_describe(source *s, const options *o)
{
    npy_header h;
    int code;
    s->npy = is_npy(&s->in);
    if (!s->npy) {
        code = o->force ? EXIT_DONE : source_foreign(&s->in);
        if (code) {
            return code;
        }
        if (!o->dtype) {
            return fail(EXIT_USAGE,
                        "%s: not a .npy file, so say what it holds: add --dtype f32, "
                        "for example, and --shape 643x1197",
                        s->in.name);
        }
        s->dtype = o->dtype;
        s->rank = o->has_shape ? o->rank : 1;
        s->shape[0] = PADIC_CODEC_UNKNOWN;
        if (o->has_shape) {
            memcpy(s->shape, o->shape, sizeof s->shape);
        }
        s->swap = host_is_big_endian();
        return source_fit(s);
    }
    if (o->has_shape) {
        return fail(EXIT_USAGE, "%s: a .npy file says its own shape; leave out --shape",
                    s->in.name);
    }
    code = npy_read_header(&s->in, &h);
    if (!code) {
        code = npy_dtype(&s->in, &h, o->dtype, &s->dtype);
    }
    if (code) {
        return code;
    }
    s->rank = h.rank;
    memcpy(s->shape, h.shape, sizeof s->shape);
    s->fortran = h.fortran && h.rank > 1;
    s->swap = (h.order == '>') != host_is_big_endian();
    return source_fit(s);
}

static int source_open(source *s, const char *name, const options *o)
{
    int code;
    memset(s, 0, sizeof *s);
    code = input_open(&s->in, name);
    if (!code) {
        code = source_describe(s, o);
    }
    if (code) {
        input_close(&s->in);
    }
    return code;
}

static int source_short(const source *s, uint64_t got)
{
    if (s->npy) {
        return fail(EXIT_MISMATCH,
                    "%s: a .npy file that is cut short: ended after %" PRIu64 " of the %" PRIu64
                    " bytes of its array; fetch the file again",
                    s->in.name, got, s->bytes);
    }
    return fail(EXIT_MISMATCH,
                "%s: ended after %" PRIu64 " of %" PRIu64 " bytes; check --shape or "
                "fetch the file again",
                s->in.name, got, s->bytes);
}

// The whole array in memory, in this machine's byte order; s->bytes must be known.
static int source_load(source *s, void **data)
{
    size_t got;
    unsigned char next;
    *data = NULL;
    if (s->bytes >= SIZE_MAX) {
        return fail_memory_whole(s->in.name, s->bytes);
    }
    *data = malloc(s->bytes ? (size_t)s->bytes : 1);
    if (!*data) {
        return fail_memory_whole(s->in.name, s->bytes);
    }
    got = input_read(&s->in, *data, (size_t)s->bytes);
    if (got < s->bytes) {
        free(*data);
        *data = NULL;
        return ferror(s->in.file) ? input_failed(&s->in) : source_short(s, got);
    }
    if (!s->in.regular && input_read(&s->in, &next, 1)) {
        free(*data);
        *data = NULL;
        return source_longer(s);
    }
    if (s->swap) {
        swap_bytes(*data, (size_t)s->bytes, dtype_unit(s->dtype));
    }
    return EXIT_DONE;
}

// A column-major array is a view with the strides turned round.
static padic_tensor source_tensor(const source *s, void *data)
{
    padic_tensor tensor = PADIC_ZERO;
    uint32_t i;
    tensor.data = data;
    tensor.dtype = s->dtype;
    tensor.rank = s->rank;
    memcpy(tensor.shape, s->shape, sizeof tensor.shape);
    if (s->fortran && s->bytes) {
        tensor.stride[0] = 1;
        for (i = 1; i < s->rank; i++) {
            tensor.stride[i] = tensor.stride[i - 1] * (int64_t)s->shape[i - 1];
        }
    }
    return tensor;
}

// --------------------------------------------------------------------------------------- threads

// The context of a command: vectors, the threads asked for, progress and Ctrl-C.
typedef struct workers {
    uint32_t count;
    padic_threads *threads;
    padic_context *context;
} workers;

static int workers_open(workers *w, uint32_t count)
{
    padic_context_desc desc = PADIC_ZERO;
    memset(w, 0, sizeof *w);
    w->count = 1;
    desc.backends[0] = padic_simd();
    desc.progress.step = library_step;
    if (count != 1) {
        w->threads = padic_threads_create(count, NULL);
        if (!w->threads) {
            return fail(EXIT_MEMORY, "not enough memory for %" PRIu32 " --threads", count);
        }
        desc.jobs = padic_threads_jobs(w->threads);
        w->count = desc.jobs.workers ? desc.jobs.workers : 1;
    }
    if (padic_context_create(&desc, &w->context)) {
        padic_threads_destroy(w->threads);
        w->threads = NULL;
        return fail(EXIT_MEMORY, "not enough memory to begin");
    }
    return EXIT_DONE;
}

static void workers_close(workers *w)
{
    padic_context_destroy(w->context);
    padic_threads_destroy(w->threads);
    memset(w, 0, sizeof *w);
}

// ------------------------------------------------------------------------------------------ pack

static int make_desc(const source *s, const options *o, int level, padic_codec_pack_desc *desc)
{
    padic_codec_pack_desc zero = PADIC_ZERO;
    *desc = zero;
    desc->level = (uint32_t)level;
    desc->tolerance_mode = o->tolerance_mode;
    desc->tolerance = o->tolerance_mode ? o->tolerance : 0.0;
    desc->range = o->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE ? o->range : 0.0;
    if (o->block_rank && o->block_rank != s->rank) {
        return fail(EXIT_MISMATCH,
                    "%s: --block has %" PRIu32 " axes and the array %" PRIu32
                    "; give one extent for each axis",
                    s->in.name, o->block_rank, s->rank);
    }
    memcpy(desc->block, o->block, sizeof desc->block);
    if (o->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE && !dtype_is_float(s->dtype)) {
        return fail(EXIT_DTYPE,
                    "%s: --pointwise is for floats, and this array is %s; give --bound "
                    "without it",
                    s->in.name, padic_dtype_name(s->dtype));
    }
    return EXIT_DONE;
}

// Loads the array and packs it with one call.
static int pack_loaded(source *s, padic_codec_pack_desc *desc, padic_context *context, output *out)
{
    void *data = NULL, *packed = NULL;
    padic_codec_report report = PADIC_ZERO;
    size_t room;
    padic_result result;
    int code = source_load(s, &data);
    if (code) {
        return code;
    }
    desc->tensor = source_tensor(s, data);
    room = (size_t)padic_codec_size_bound(desc);
    packed = room ? malloc(room) : NULL;
    if (room && !packed) {
        free(data);
        return fail_memory_whole(s->in.name, s->bytes);
    }
    progress_begin(s->bytes);
    progress.shares = 1;
    library_begin();
    desc->packed = padic_bytes_out(packed, room);
    desc->report = &report;
    result = padic_codec_pack(context, desc);
    desc->report = NULL;
    library_end();
    progress_clear();
    if (result) {
        code = fail_library(result, s->in.name, UINT64_MAX);
    } else if (output_write(out, packed, (size_t)report.packed_size)) {
        code = output_failed(out);
    }
    free(packed);
    free(data);
    return code;
}

#define CHUNK ((size_t)1 << 20)

// Moves the input through a packer.
static int push_all(source *s, padic_codec_packer *packer, output *out, void *chunk)
{
    uint64_t done = 0;
    padic_bytes bytes;
    padic_result result;
    progress_begin(s->bytes);
    while (done < s->bytes) {
        size_t want = s->bytes - done < CHUNK ? (size_t)(s->bytes - done) : CHUNK;
        size_t got = input_read(&s->in, chunk, want);
        if (s->swap) {
            swap_bytes(chunk, got, dtype_unit(s->dtype));
        }
        library_begin();
        bytes = padic_bytes_in(chunk, got);
        result = got ? padic_codec_pack_push(packer, &bytes) : PADIC_OK;
        library_end();
        if (out->failed) {
            return output_failed(out);
        }
        if (result) {
            return fail_library(result, s->in.name, UINT64_MAX);
        }
        done += got;
        progress_step(done);
        if (got < want) {
            if (ferror(s->in.file)) {
                return input_failed(&s->in);
            }
            if (s->bytes != UINT64_MAX) {
                return source_short(s, done);
            }
            break;
        }
    }
    progress_clear();
    if (s->bytes != UINT64_MAX && !s->in.regular && input_read(&s->in, chunk, 1)) {
        return source_longer(s);
    }
    return EXIT_DONE;
}

static int pack_streamed(source *s, padic_codec_pack_desc *desc, padic_context *context,
                         output *out)
{
    padic_codec_pack_begin_desc begin = PADIC_ZERO;
    padic_codec_packer *packer = NULL;
    padic_result result;
    void *chunk;
    int code;
    desc->tensor = source_tensor(s, NULL);
    if (s->bytes == UINT64_MAX) {
        desc->tensor.shape[0] = PADIC_CODEC_UNKNOWN;
    }
    begin.pack = *desc;
    begin.write = write_to_output;
    begin.user = out;
    result = padic_codec_pack_begin(context, &begin, &packer);
    if (result) {
        return out->failed ? output_failed(out) : fail_library(result, s->in.name, UINT64_MAX);
    }
    chunk = malloc(CHUNK);
    code = chunk ? push_all(s, packer, out, chunk) : fail_memory(s->in.name);
    free(chunk);
    library_begin();
    result = padic_codec_pack_end(packer);
    library_end();
    if (code || !result) {
        return code;
    }
    if (out->failed) {
        return output_failed(out);
    }
    if (result == PADIC_ERROR_MISMATCH) {
        return fail(EXIT_MISMATCH,
                    "%s: ended inside an element or a row of the shape; check "
                    "--dtype and --shape",
                    s->in.name);
    }
    return fail_library(result, s->in.name, UINT64_MAX);
}

// Streams give the same bytes as one call; one call is for what needs the whole array at once.
static int pack_source(source *s, const options *o, output *out)
{
    padic_codec_pack_desc desc;
    workers w;
    int whole, code = make_desc(s, o, o->level_count ? o->levels[0] : 0, &desc);
    int needs_range = o->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE && o->range == 0.0;
    if (code) {
        return code;
    }
    if (needs_range && !s->in.regular) {
        return fail(EXIT_BOUND,
                    "%s: a bound relative to the range needs the range before the first "
                    "value; add --range with max - min, or pack a file",
                    s->in.name);
    }
    whole = s->fortran || needs_range || (s->in.regular && o->threads != 1);
    code = workers_open(&w, o->threads);
    if (!code) {
        code =
            whole ? pack_loaded(s, &desc, w.context, out) : pack_streamed(s, &desc, w.context, out);
        workers_close(&w);
    }
    return code;
}

static int command_pack(const options *o)
{
    source s;
    output out;
    int code = source_open(&s, o->operands[0], o);
    if (code) {
        return code;
    }
    code = output_open(&out, o->operands[1], &s.in);
    if (!code) {
        code = output_close(&out, pack_source(&s, o, &out));
    }
    input_close(&s.in);
    return code;
}

// ---------------------------------------------------------------------------------------- unpack

// "Not ours" deserves another sentence than "cut short".
static int check_magic(const input *in)
{
    if (in->head_size == 0) {
        return fail(EXIT_CORRUPT, "%s: not a padic file (it is empty); fetch it again", in->name);
    }
    if (in->head_size < 4 || memcmp(in->head, "PADC", 4) != 0) {
        return fail(EXIT_CORRUPT,
                    "%s: not a padic file (its first bytes are not PADC); check the "
                    "name, or pack it first",
                    in->name);
    }
    return EXIT_DONE;
}

static int open_packed(input *in, const char *name)
{
    int code = input_open(in, name);
    if (!code) {
        code = check_magic(in);
        if (code) {
            input_close(in);
        }
    }
    return code;
}

typedef struct packed_file {
    input in;
    unsigned char *data;
    size_t size;
    padic_codec_report report;
} packed_file;

static void packed_close(packed_file *f)
{
    free(f->data);
    f->data = NULL;
    input_close(&f->in);
}

static int unpack_stream(input *in, const options *o, output *out, padic_codec_report *r);

// The input is open already: standard input cannot be opened twice.
static int packed_load(packed_file *f, const options *o)
{
    padic_codec_info_desc info = PADIC_ZERO;
    padic_result result;
    int code = input_load_rest(&f->in, &f->data, &f->size);
    if (code) {
        return code;
    }
    info.packed = padic_bytes_in(f->data, f->size);
    info.report = &f->report;
    result = padic_codec_info(NULL, &info);
    if (result == PADIC_ERROR_CORRUPT && f->in.regular && fseek(f->in.file, 0, SEEK_SET) == 0) {
        // Cut short, or is there more after its end? Read from the front, it tells.
        options once = *o;
        once.threads = 1;
        f->in.at = f->in.head_at = f->in.head_size = 0;
        code = unpack_stream(&f->in, &once, NULL, &f->report);
    }
    return code ? code : fail_library(result, f->in.name, UINT64_MAX);
}

static int packed_open(packed_file *f, const char *name, const options *o)
{
    int code;
    memset(f, 0, sizeof *f);
    code = open_packed(&f->in, name);
    if (!code) {
        code = packed_load(f, o);
    }
    if (code) {
        packed_close(f);
    }
    return code;
}

static int check_widening(const char *name, padic_dtype from, padic_dtype to)
{
    int can = from == to ||
              (to == PADIC_F64 && (from == PADIC_F32 || from == PADIC_F16 || from == PADIC_BF16)) ||
              (to == PADIC_F32 && (from == PADIC_F16 || from == PADIC_BF16));
    return can ? EXIT_DONE
               : fail(EXIT_MISMATCH, "%s: holds %s, which does not widen to %s; leave out --dtype",
                      name, padic_dtype_name(from), padic_dtype_name(to));
}

static int fail_memory_limit(const char *name, uint64_t need, const options *o)
{
    return fail(EXIT_MEMORY,
                "%s: needs %" PRIu64 " bytes of working memory and the limit is %" PRIu64
                "; raise it with --memory-limit if you trust the file",
                name, need, o->memory);
}

static int fail_output_limit(const char *name, uint64_t bytes, const options *o)
{
    if (bytes == UINT64_MAX) {
        return fail(EXIT_MEMORY, "%s: decodes to more than the %" PRIu64 " bytes of --output-limit",
                    name, o->output);
    }
    return fail(EXIT_MEMORY,
                "%s: decodes to %" PRIu64 " bytes, more than the %" PRIu64 " of --output-limit",
                name, bytes, o->output);
}

// Unpack errors: a LIMIT is one of the two that can be given.
static int fail_unpack(padic_result result, const packed_file *f, const options *o, uint64_t block)
{
    if (result == PADIC_ERROR_LIMIT) {
        return fail_memory_limit(f->in.name, f->report.workspace, o);
    }
    return fail_library(result, f->in.name, block);
}

// Decodes one box and writes it: slab by slab along the first axis, in whole rows of blocks, so
// that memory stays small and no block is decoded twice.
static int unpack_box(const packed_file *f, const options *o, const uint64_t *begin,
                      const uint64_t *count, padic_dtype dtype, padic_context *context, output *out)
{
    const padic_codec_report *r = &f->report;
    padic_codec_unpack_report report = {UINT64_MAX};
    uint64_t row, step, most, at = 0, rows = r->rank ? count[0] : 1, block;
    uint64_t slab;
    int fits = 1, code = EXIT_DONE, empty;
    void *data;
    uint64_t total = array_bytes(dtype, r->rank, count, &fits);
    empty = total == 0;
    row = rows && !empty ? total / rows : padic_dtype_size(dtype);
    block = r->rank && r->block[0] ? r->block[0] : 1;
    step = ((uint64_t)32 << 20) / row / block * block;
    step = step < block ? block : step;
    most = step < rows ? step : rows;
    if (!fits || (!empty && most > SIZE_MAX / row)) {
        return fail_memory_limit(f->in.name, UINT64_MAX, o);
    }
    if (o->output && total > o->output) {
        return fail_output_limit(f->in.name, total, o);
    }
    // What lies between here and the file is working memory, too.
    slab = empty ? 1 : most * row;
    if (slab >= o->memory || r->workspace > o->memory - slab) {
        return fail_memory_limit(
            f->in.name, r->workspace > UINT64_MAX - slab ? UINT64_MAX : r->workspace + slab, o);
    }
    data = malloc((size_t)slab);
    if (!data) {
        return fail_memory(f->in.name);
    }
    progress_begin(total);
    while (!code && (at < rows || empty)) {
        padic_codec_unpack_desc desc = PADIC_ZERO;
        padic_result result;
        uint64_t first = r->rank ? begin[0] + at : 0;
        uint64_t some = step - first % block; // up to the next edge of a slab of whole blocks
        some = some > rows - at ? rows - at : some;
        desc.tensor.data = data;
        desc.tensor.dtype = dtype;
        desc.tensor.rank = r->rank;
        memcpy(desc.tensor.shape, empty ? r->shape : count, sizeof desc.tensor.shape);
        desc.memory_limit = o->memory - slab;
        desc.report = &report;
        if (!empty && r->rank) {
            memcpy(desc.begin, begin, sizeof desc.begin);
            memcpy(desc.count, count, sizeof desc.count);
            desc.begin[0] = first;
            desc.count[0] = desc.tensor.shape[0] = some;
        }
        library_begin();
        desc.packed = padic_bytes_in(f->data, f->size);
        result = padic_codec_unpack(context, &desc);
        library_end();
        if (result) {
            code = fail_unpack(result, f, o, report.bad_block);
        } else if (empty) {
            break;
        } else {
            if (host_is_big_endian()) {
                swap_bytes(data, (size_t)(some * row), dtype_unit(dtype));
            }
            code = output_write(out, data, (size_t)(some * row)) ? output_failed(out) : EXIT_DONE;
            at += some;
            progress_step(at * row);
        }
    }
    progress_clear();
    free(data);
    return code;
}

// unpack of a whole file, and cut.
static int unpack_file(const packed_file *f, const options *o, const uint64_t *begin,
                       const uint64_t *count, output *out)
{
    padic_dtype dtype = o->dtype ? o->dtype : f->report.dtype;
    size_t width = 0;
    workers w;
    int code = check_widening(f->in.name, f->report.dtype, dtype);
    if (!code && ends_in_npy(out->name)) {
        code = output_npy_header(out, dtype, f->report.rank, count, &width);
    }
    if (!code) {
        code = workers_open(&w, o->threads);
        if (!code) {
            code = unpack_box(f, o, begin, count, dtype, w.context, out);
            workers_close(&w);
        }
    }
    return code;
}

static int pull_all(input *in, padic_codec_unpacker *unpacker, const padic_codec_report *r,
                    const options *o, void *chunk, output *out, uint64_t *done)
{
    for (;;) {
        padic_bytes bytes = padic_bytes_out(chunk, CHUNK);
        size_t got;
        padic_result result;
        library_begin();
        result = padic_codec_unpack_pull(unpacker, &bytes);
        library_end();
        got = (size_t)bytes.size;
        if (host_is_big_endian()) {
            swap_bytes(chunk, got, dtype_unit(r->dtype));
        }
        if (out && output_write(out, chunk, got)) {
            return output_failed(out);
        }
        *done += got;
        progress_step(*done);
        if (result) {
            return ferror(in->file)               ? input_failed(in)
                   : result == PADIC_ERROR_LIMIT ? fail_output_limit(in->name, UINT64_MAX, o)
                                                 : fail_library(result, in->name, UINT64_MAX);
        }
        if (got < CHUNK) {
            break;
        }
    }
    progress_clear();
    if (input_read(in, chunk, 1)) {
        return fail(EXIT_CORRUPT,
                    "%s: other bytes follow after its end; cut them off, or fetch it again",
                    in->name);
    }
    return EXIT_DONE;
}

// Standard input and pipes: as it comes. `out` NULL: only the checksums count.
static int unpack_stream(input *in, const options *o, output *out, padic_codec_report *r)
{
    padic_codec_unpack_begin_desc desc = PADIC_ZERO;
    padic_codec_unpacker *unpacker = NULL;
    padic_result result;
    workers w;
    uint64_t done = 0;
    size_t width = 0;
    int fits, npy = out && ends_in_npy(out->name), code = workers_open(&w, o->threads);
    if (code) {
        return code;
    }
    memset(r, 0, sizeof *r);
    desc.unpack.memory_limit = o->memory;
    desc.unpack.output_limit = o->output;
    desc.read = read_from_input;
    desc.user = in;
    desc.report = r;
    library_begin();
    result = padic_codec_unpack_begin(w.context, &desc, &unpacker);
    library_end();
    if (result) {
        code = ferror(in->file)              ? input_failed(in)
               : result != PADIC_ERROR_LIMIT ? fail_library(result, in->name, UINT64_MAX)
               : o->output && r->raw_size > o->output
                   ? fail_output_limit(in->name, r->raw_size, o)
                   : fail_memory_limit(in->name, r->stream_workspace, o);
    } else {
        int open = r->rank && r->shape[0] == PADIC_CODEC_UNKNOWN;
        void *chunk = malloc(CHUNK);
        progress_begin(open ? UINT64_MAX : array_bytes(r->dtype, r->rank, r->shape, &fits));
        if (!chunk) {
            code = fail_memory(in->name);
        }
        if (!code && npy) {
            code = output_npy_header(out, r->dtype, r->rank, r->shape, &width);
            // The real number is longer than the "?" it is written as now.
            if (!code && open) {
                char room[64];
                memset(room, ' ', sizeof room);
                width += sizeof room;
                code = output_write(out, room, sizeof room) ? output_failed(out) : EXIT_DONE;
            }
        }
        if (!code) {
            code = pull_all(in, unpacker, r, o, chunk, out, &done);
        }
        if (!code && open) {
            uint64_t row = array_bytes(r->dtype, r->rank - 1, r->shape + 1, &fits);
            r->shape[0] = row ? done / row : 0;
            if (npy) {
                if (fseek(out->file, 0, SEEK_SET)) {
                    code = fail(EXIT_FILE,
                                "%s: a .npy file of unknown length needs a plain file to "
                                "be written to",
                                out->name);
                } else {
                    code = output_npy_header(out, r->dtype, r->rank, r->shape, &width);
                }
            }
        }
        free(chunk);
        padic_codec_unpack_end(unpacker);
    }
    workers_close(&w);
    return code;
}

static int command_unpack(const options *o)
{
    const uint64_t origin[PADIC_MAX_RANK] = {0};
    padic_codec_report report;
    packed_file f;
    output out;
    int code;
    memset(&f, 0, sizeof f);
    code = open_packed(&f.in, o->operands[0]);
    if (code) {
        return code;
    }
    if (f.in.regular || o->dtype) {
        code = packed_load(&f, o);
    }
    if (!code) {
        code = output_open(&out, o->operands[1], &f.in);
    }
    if (!code) {
        code = output_close(&out, f.data ? unpack_file(&f, o, origin, f.report.shape, &out)
                                         : unpack_stream(&f.in, o, &out, &report));
    }
    packed_close(&f);
    return code;
}

static int command_cut(const options *o)
{
    uint64_t begin[PADIC_MAX_RANK] = {0}, count[PADIC_MAX_RANK] = {0};
    const padic_codec_report *r;
    packed_file f;
    output out;
    uint32_t i;
    int code = packed_open(&f, o->operands[0], o);
    if (code) {
        return code;
    }
    r = &f.report;
    if ((o->begin_rank && o->begin_rank != r->rank) ||
        (o->count_rank && o->count_rank != r->rank)) {
        shape_buffer text;
        code = fail(EXIT_REGION,
                    "%s: its shape is %s; give --begin and --count one number for each "
                    "of its %" PRIu32 " axes",
                    f.in.name, shape_text(r->rank, r->shape, "x", text), r->rank);
        packed_close(&f);
        return code;
    }
    for (i = 0; i < r->rank; i++) {
        uint64_t left;
        begin[i] = o->begin[i];
        left = begin[i] <= r->shape[i] ? r->shape[i] - begin[i] : 0;
        count[i] = o->count_rank ? o->count[i] : left;
        if (begin[i] > r->shape[i] || count[i] > left || (count[i] == 0 && r->shape[i])) {
            shape_buffer text;
            code = fail(EXIT_REGION,
                        "%s: the box leaves the array or is empty on axis %" PRIu32
                        "; the shape is %s",
                        f.in.name, i, shape_text(r->rank, r->shape, "x", text));
            packed_close(&f);
            return code;
        }
    }
    code = output_open(&out, o->operands[1], &f.in);
    if (!code) {
        code = output_close(&out, unpack_file(&f, o, begin, count, &out));
    }
    packed_close(&f);
    return code;
}

// ------------------------------------------------------------------------------- info and verify

static const char *const form_names[8] = {"bits",    "fields", "scale", "affine",
                                          "decimal", "raw",    "columns", "plain"};
static const char *const predictor_names[8] = {"none", "delta",  "delta2",     "lorenzo",
                                               "xor",  "median", "interpolate", "linear"};
static const char *const pattern_names[8] = {"none",     "runs",     "lz",       "constant",
                                             "match",    "pattern5", "pattern6", "pattern7"};
static const char *const digit_names[8] = {"class", "bytes",   "packed", "unit",
                                           "prime", "nibbles", "bits",   "table"};
static const char *const coder_names[8] = {"raw",  "constant", "packed", "huffman",
                                           "rans", "sparse",   "context", "repeat"};
static const char *const stream_names[PADIC_CODEC_STREAM_KINDS] = {
    "headers", "tokens", "bits", "planes", "pattern", "exceptions", "raw", "index"};

static void print_choices(const char *title, const char *const *names, const uint64_t *counts,
                          uint32_t n)
{
    uint32_t i, printed = 0;
    printf("%-15s", title);
    for (i = 0; i < n; i++) {
        if (counts[i]) {
            printf("%s%s %" PRIu64, printed++ ? ", " : "", names[i], counts[i]);
        }
    }
    puts(printed ? "" : "-");
}

static void print_bound(const padic_codec_report *r)
{
    printf("%-15s", "bound");
    switch (r->tolerance_mode) {
    case PADIC_CODEC_TOLERANCE_NONE:
        puts("none: every bit comes back");
        break;
    case PADIC_CODEC_TOLERANCE_ABSOLUTE:
        printf("absolute: no value moves by more than %.17g\n", r->tolerance);
        break;
    case PADIC_CODEC_TOLERANCE_RANGE:
        printf("relative to the range: %.17g of it, which is %.17g\n", r->tolerance,
               r->error_bound);
        break;
    case PADIC_CODEC_TOLERANCE_POINTWISE:
        printf("pointwise: %.17g of each value\n", r->tolerance);
        break;
    default:
        printf("mode %d, %.17g\n", (int)r->tolerance_mode, r->tolerance);
        break;
    }
}

static int command_info(const options *o)
{
    shape_buffer text;
    packed_file f;
    const padic_codec_report *r = &f.report;
    uint64_t elements;
    int code = packed_open(&f, o->operands[0], o);
    if (code) {
        return code;
    }
    elements = r->raw_size / padic_dtype_size(r->dtype);
    printf("%-15s%s\n", "file", f.in.name);
    printf("%-15s%s %s, %" PRIu64 " elements, %" PRIu64 " bytes\n", "array",
           padic_dtype_name(r->dtype), shape_text(r->rank, r->shape, "x", text), elements,
           r->raw_size);
    printf("%-15s%" PRIu64 " bytes", "packed", r->packed_size);
    if (r->raw_size && r->packed_size) {
        printf(", ratio %.3f, %.3f bits an element", (double)r->raw_size / (double)r->packed_size,
               8.0 * (double)r->packed_size / (double)elements);
    }
    printf("\n%-15s%" PRIu32 "\n", "wire version", r->wire_version);
    printf("%-15s%d\n", "level", r->level);
    print_bound(r);
    printf("%-15s%" PRIu64 " of at most %s\n", "blocks", r->blocks,
           shape_text(r->rank, r->block, "x", text));
    printf("%-15s%" PRIu64 " bytes with one thread\n", "unpack memory", r->workspace);
    printf("%-15s%" PRIu64 " values\n", "exceptions", r->exceptions);
    print_choices("forms", form_names, r->transforms, 8);
    print_choices("predictors", predictor_names, r->predictors, 8);
    print_choices("patterns", pattern_names, r->patterns, 8);
    print_choices("digits", digit_names, r->representations, 8);
    print_choices("coders", coder_names, r->streams, 8);
    print_choices("bytes", stream_names, r->bytes, PADIC_CODEC_STREAM_KINDS);
    packed_close(&f);
    return EXIT_DONE;
}

static int command_verify(const options *o)
{
    shape_buffer text;
    packed_file f;
    int code;
    memset(&f, 0, sizeof f);
    code = open_packed(&f.in, o->operands[0]);
    if (code) {
        return code;
    }
    if (f.in.regular) {
        padic_codec_unpack_report report = {UINT64_MAX};
        workers w;
        code = packed_load(&f, o);
        if (!code && o->output && f.report.raw_size > o->output) {
            code = fail_output_limit(f.in.name, f.report.raw_size, o);
        }
        if (!code) {
            code = workers_open(&w, o->threads);
        }
        if (!code) {
            padic_codec_verify_desc desc = PADIC_ZERO;
            padic_result result;
            desc.packed = padic_bytes_in(f.data, f.size);
            desc.memory_limit = o->memory;
            desc.report = &report;
            progress_begin(f.report.raw_size);
            progress.shares = 1;
            library_begin();
            result = padic_codec_verify(w.context, &desc);
            library_end();
            progress_clear();
            code = fail_unpack(result, &f, o, report.bad_block);
            workers_close(&w);
        }
    } else {
        code = unpack_stream(&f.in, o, NULL, &f.report);
    }
    if (!code) {
        printf("%s: whole, %s %s\n", f.in.name, padic_dtype_name(f.report.dtype),
               shape_text(f.report.rank, f.report.shape, "x", text));
    }
    packed_close(&f);
    return code;
}

// ----------------------------------------------------------------------------------------- bench

static double half_to_double(uint16_t h)
{
    int exponent = h >> 10 & 31;
    double mantissa = (double)(h & 1023);
    double value = exponent == 0    ? ldexp(mantissa, -24)
                   : exponent == 31 ? (mantissa > 0.0 ? (double)NAN : (double)INFINITY)
                                    : ldexp(mantissa + 1024.0, exponent - 25);
    return h & 0x8000 ? -value : value;
}

static double float_at(padic_dtype dtype, const unsigned char *p)
{
    if (dtype == PADIC_F64 || dtype == PADIC_C128) {
        double x;
        memcpy(&x, p, 8);
        return x;
    }
    if (dtype == PADIC_F32 || dtype == PADIC_C64) {
        float x;
        memcpy(&x, p, 4);
        return (double)x;
    }
    {
        uint16_t half;
        memcpy(&half, p, 2);
        if (dtype == PADIC_F16) {
            return half_to_double(half);
        } else {
            uint32_t bits = (uint32_t)half << 16;
            float x;
            memcpy(&x, &bits, 4);
            return (double)x;
        }
    }
}

typedef struct proof {
    uint64_t wrong, first_wrong; // elements (parts of complex ones) outside the bound, or changed
    double worst, limit;         // largest error, and what it may be
} proof;

static void proof_wrong(proof *p, uint64_t at)
{
    if (p->wrong++ == 0) {
        p->first_wrong = at;
    }
}

static void prove_exact(const unsigned char *a, const unsigned char *b, size_t size, uint32_t unit,
                        proof *p)
{
    size_t at;
    if (memcmp(a, b, size) != 0) {
        for (at = 0; at < size; at += unit) {
            if (memcmp(a + at, b + at, unit) != 0) {
                proof_wrong(p, at / unit);
            }
        }
    }
}

// Is |x - y| <= bound |x| (pointwise) or <= bound? Exactly: what rounding takes off a difference or
// a product is computed too and decides when the rounded values are equal.
static int within(double x, double y, double bound, int pointwise)
{
    double d = x - y, back = d - x;
    double d_rest = (x - (d - back)) - (y + back);
    double most = bound, most_rest = 0.0;
    if (pointwise) {
        most = bound * fabs(x);
        most_rest = fma(bound, fabs(x), -most);
    }
    if (d < 0.0) {
        d = -d;
        d_rest = -d_rest;
    }
    return d < most || (d == most && d_rest <= most_rest);
}

// Every value against the bound, which is computed here and not taken from the library; infinities
// and NaN must come back bit for bit.
static void prove_bound(const source *s, const options *o, const unsigned char *a,
                        const unsigned char *b, proof *p)
{
    uint32_t unit = dtype_unit(s->dtype);
    uint64_t n = s->bytes / unit, i;
    int pointwise = o->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE;
    double low = INFINITY, high = -INFINITY;
    p->limit = o->tolerance;
    if (o->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE) {
        for (i = 0; i < n; i++) {
            double x = float_at(s->dtype, a + i * unit);
            if (is_finite(x)) {
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
        }
        p->limit = high >= low ? o->tolerance * (high - low) : 0.0;
    }
    for (i = 0; i < n; i++) {
        double x = float_at(s->dtype, a + i * unit), y = float_at(s->dtype, b + i * unit), error;
        if (!is_finite(x)) {
            if (memcmp(a + i * unit, b + i * unit, unit) != 0) {
                proof_wrong(p, i);
            }
            continue;
        }
        error = fabs(x - y);
        if (pointwise && error > 0.0) {
            error /= fabs(x);
        }
        if (!(error <= p->worst)) {
            p->worst = error;
        }
        if (!is_finite(y) || !within(x, y, p->limit, pointwise)) {
            proof_wrong(p, i);
        }
    }
}

typedef struct bench_mean {
    uint64_t n;
    double ratio, pack, unpack; // sums of logarithms
} bench_mean;

typedef struct bench {
    const options *o;
    padic_context *context;
    uint32_t threads;
    int titled;
    uint64_t proofs, wrong;
    bench_mean means[10][2]; // level, lossless or bounded
} bench;

static void mode_text(const options *o, char *text, size_t room)
{
    switch (o->tolerance_mode) {
    case PADIC_CODEC_TOLERANCE_NONE:
        snprintf(text, room, "lossless");
        break;
    case PADIC_CODEC_TOLERANCE_RANGE:
        snprintf(text, room, "%g of range", o->tolerance);
        break;
    case PADIC_CODEC_TOLERANCE_POINTWISE:
        snprintf(text, room, "%g of value", o->tolerance);
        break;
    default:
        snprintf(text, room, "%g", o->tolerance);
        break;
    }
}

typedef struct bench_buffers {
    unsigned char *array, *again, *packed;
    size_t room;
} bench_buffers;

// The fastest of at least three runs over o->seconds; fewer distractions of the machine that way.
static padic_result bench_run(bench *b, const source *s, padic_codec_pack_desc *desc,
                              const bench_buffers *m, size_t *size, double *pack, double *unpack)
{
    double total = 0.0;
    int runs;
    *pack = *unpack = INFINITY;
    for (runs = 0; runs < 3 || (total < b->o->seconds && runs < 10000); runs++) {
        double begin = seconds_now(), spent;
        padic_codec_report report;
        padic_result result;
        desc->packed = padic_bytes_out(m->packed, m->room);
        desc->report = &report;
        result = padic_codec_pack(b->context, desc);
        desc->report = NULL;
        *size = (size_t)report.packed_size;
        if (result) {
            return result;
        }
        spent = seconds_now() - begin;
        total += spent;
        *pack = spent < *pack ? spent : *pack;
    }
    // Other bytes than the array's, so that nothing is right by having been there before.
    memset(m->again, 0x5a, s->bytes ? (size_t)s->bytes : 1);
    total = 0.0;
    for (runs = 0; runs < 3 || (total < b->o->seconds && runs < 10000); runs++) {
        padic_codec_unpack_desc back = PADIC_ZERO;
        double begin, spent;
        padic_result result;
        back.tensor = desc->tensor;
        back.tensor.data = m->again;
        begin = seconds_now();
        back.packed = padic_bytes_in(m->packed, *size);
        result = padic_codec_unpack(b->context, &back);
        if (result) {
            return result;
        }
        spent = seconds_now() - begin;
        total += spent;
        *unpack = spent < *unpack ? spent : *unpack;
    }
    return PADIC_OK;
}

static void bench_title(bench *b)
{
    padic_device_info info;
    if (b->titled++) {
        return;
    }
    padic_context_device_info(b->context, &info);
    printf("padic " PADIC_VERSION ", %s, %" PRIu32 " thread%s; MB/s of raw data, the fastest run "
           "of those in %g s\n",
           info.name, b->threads, b->threads == 1 ? "" : "s", b->o->seconds);
    printf("%-22s %-10s %-3s %-15s %8s %10s %12s  %s\n", "array", "dtype", "lvl", "mode", "ratio",
           "pack MB/s", "unpack MB/s", "proof");
}

static int bench_row(bench *b, const char *name, const source *s, const options *o, int level,
                     const bench_buffers *m)
{
    char mode[32];
    padic_codec_pack_desc desc;
    padic_result result;
    size_t size = 0;
    double pack, unpack, ratio;
    bench_mean *mean;
    proof p;
    int code = make_desc(s, o, level, &desc);
    if (code) {
        return code;
    }
    desc.tensor = source_tensor(s, m->array);
    result = bench_run(b, s, &desc, m, &size, &pack, &unpack);
    if (result) {
        return fail_library(result, s->in.name, UINT64_MAX);
    }
    memset(&p, 0, sizeof p);
    if (o->tolerance_mode) {
        prove_bound(s, o, m->array, m->again, &p);
    } else {
        prove_exact(m->array, m->again, (size_t)s->bytes, dtype_unit(s->dtype), &p);
    }
    b->proofs++;
    b->wrong += p.wrong != 0;
    ratio = size ? (double)s->bytes / (double)size : 0.0;
    pack = pack > 0.0 ? 1e-6 * (double)s->bytes / pack : 0.0;
    unpack = unpack > 0.0 ? 1e-6 * (double)s->bytes / unpack : 0.0;
    if (ratio > 0.0 && pack > 0.0 && unpack > 0.0) {
        mean = &b->means[level][o->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE];
        mean->n++;
        mean->ratio += log(ratio);
        mean->pack += log(pack);
        mean->unpack += log(unpack);
    }
    bench_title(b);
    mode_text(o, mode, sizeof mode);
    printf("%-22.22s %-10s %3d %-15s %8.3f %10.1f %12.1f  ", name, padic_dtype_name(s->dtype),
           level, mode, ratio, pack, unpack);
    if (p.wrong) {
        printf("WRONG: %" PRIu64 " values, the first is number %" PRIu64 "\n", p.wrong,
               p.first_wrong);
    } else if (o->tolerance_mode) {
        printf("largest error %.6g <= %.6g\n", p.worst, p.limit);
    } else {
        puts("exact");
    }
    fflush(stdout);
    return EXIT_DONE;
}

static int bench_buffers_open(bench_buffers *m, source *s, const options *o)
{
    padic_codec_pack_desc desc;
    void *array = NULL;
    int i, code;
    memset(m, 0, sizeof *m);
    if (s->bytes == UINT64_MAX) {
        return fail(EXIT_USAGE, "%s: bench needs an array of known length; name a file",
                    s->in.name);
    }
    code = source_load(s, &array);
    m->array = (unsigned char *)array;
    for (i = 0; !code && i < o->level_count; i++) {
        size_t room;
        code = make_desc(s, o, o->levels[i], &desc);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
        desc.tensor = source_tensor(s, m->array);
        room = code ? 0 : (size_t)padic_codec_size_bound(&desc);
        m->room = room > m->room ? room : m->room;
    }
    if (!code) {
        m->room += 4096; // a bound may add to a header
        m->again = (unsigned char *)malloc(s->bytes ? (size_t)s->bytes : 1);
        m->packed = (unsigned char *)malloc(m->room);
        code = m->again && m->packed ? EXIT_DONE : fail_memory(s->in.name);
    }
    return code;
}

static int bench_array(bench *b, const char *path, const char *name, const options *o)
{
    options lossless = *o;
    bench_buffers m;
    source s;
    int i, code = source_open(&s, path, o);
    if (code) {
        return code;
    }
    lossless.tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
    code = bench_buffers_open(&m, &s, &lossless);
    for (i = 0; !code && i < o->level_count; i++) {
        code = bench_row(b, name, &s, &lossless, o->levels[i], &m);
        if (!code && o->tolerance_mode && dtype_is_float(s.dtype)) {
            code = bench_row(b, name, &s, o, o->levels[i], &m);
        }
    }
    free(m.array);
    free(m.again);
    free(m.packed);
    input_close(&s.in);
    return code;
}

static const char *last_slash(const char *path)
{
    const char *slash = strrchr(path, '/');
#ifdef _WIN32
    const char *other = strrchr(path, '\\');
    slash = other && (!slash || other > slash) ? other : slash;
#endif
    return slash;
}

// One line of a list: name, dtype and shape with tabs between; more columns do not matter.
static int bench_list_line(bench *b, char *line)
{
    const options *o = b->o;
    options of_array = *o;
    const char *slash = last_slash(o->list);
    char *dtype = strchr(line, '\t'), *shape, *path;
    size_t folder = slash ? (size_t)(slash - o->list) + 1 : 0, room;
    int code;
    shape = dtype ? strchr(dtype + 1, '\t') : NULL;
    if (!shape) {
        return fail(EXIT_USAGE, "%s: a line without name, dtype and shape with tabs between",
                    o->list);
    }
    *dtype++ = 0;
    *shape++ = 0;
    shape[strcspn(shape, "\t\r\n")] = 0;
    if (strcmp(line, "name") == 0 && strcmp(dtype, "dtype") == 0) {
        return EXIT_DONE;
    }
    code = parse_option(OPTION_DTYPE, "--dtype", dtype, &of_array);
    if (!code) {
        code = parse_option(OPTION_SHAPE, "--shape", shape, &of_array);
    }
    if (code) {
        return code;
    }
    room = folder + strlen(line) + 5;
    path = (char *)malloc(room);
    if (!path) {
        return fail_memory(line);
    }
    memcpy(path, o->list, folder);
    snprintf(path + folder, room - folder, "%s.bin", line);
    code = bench_array(b, path, line, &of_array);
    free(path);
    return code;
}

static int bench_list(bench *b)
{
    char line[4096];
    int code = EXIT_DONE;
    FILE *file = fopen(b->o->list, "rb");
    if (!file) {
        return fail(EXIT_FILE, "cannot read %s: %s", b->o->list, strerror(errno));
    }
    while (!code && fgets(line, sizeof line, file)) {
        if (line[strspn(line, " \r\n")] && line[0] != '#') {
            code = bench_list_line(b, line);
        }
    }
    fclose(file);
    return code;
}

static void bench_means(const bench *b)
{
    char mode[32];
    options lossless = *b->o;
    int level, bounded;
    lossless.tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
    for (bounded = 0; bounded < 2; bounded++) {
        for (level = 1; level <= 9; level++) {
            const bench_mean *mean = &b->means[level][bounded];
            double n = (double)mean->n;
            if (mean->n) {
                mode_text(bounded ? b->o : &lossless, mode, sizeof mode);
                printf("geometric mean of %-15" PRIu64 " %3d %-15s %8.3f %10.1f %12.1f\n", mean->n,
                       level, mode, exp(mean->ratio / n), exp(mean->pack / n),
                       exp(mean->unpack / n));
            }
        }
    }
}

static int command_bench(const options *o)
{
    static bench b; // 4 KiB of sums: too much for a stack frame
    options with_levels = *o;
    workers w;
    int i, code;
    if (!o->level_count) {
        with_levels.levels[0] = 1;
        with_levels.levels[1] = 5;
        with_levels.levels[2] = 9;
        with_levels.level_count = 3;
    }
    if (o->operand_count == 0 && !o->list) {
        return fail(EXIT_USAGE, "bench needs arrays: name .npy files, or raw ones with --dtype");
    }
    code = workers_open(&w, o->threads);
    if (code) {
        return code;
    }
    b.o = &with_levels;
    b.context = w.context;
    b.threads = w.count;
    if (o->list) {
        code = bench_list(&b);
    }
    for (i = 0; !code && i < o->operand_count; i++) {
        const char *slash = last_slash(o->operands[i]);
        code = bench_array(&b, o->operands[i], slash ? slash + 1 : o->operands[i], &with_levels);
    }
    workers_close(&w);
    bench_means(&b);
    if (!code) {
        printf("%" PRIu64 " of %" PRIu64 " proofs hold\n", b.proofs - b.wrong, b.proofs);
        if (b.wrong) {
            code = fail(EXIT_PROOF, "a proof failed, which is a bug in padic; please report the "
                                    "array");
        }
    }
    return code;
}

// ------------------------------------------------------------------------------------------ main

static const struct command_row {
    const char *name;
    enum command command;
    int operands; // -1: any number
    int (*run)(const options *);
    const char *usage;
} command_rows[] = {
    {"pack", PACK, 2, command_pack, "padic pack [options] IN OUT"},
    {"unpack", UNPACK, 2, command_unpack, "padic unpack [options] IN OUT"},
    {"info", INFO, 1, command_info, "padic info IN"},
    {"verify", VERIFY, 1, command_verify, "padic verify [options] IN"},
    {"cut", CUT, 2, command_cut, "padic cut --begin 0,0 --count 10,20 IN OUT"},
    {"bench", BENCH, -1, command_bench, "padic bench [options] IN..."},
};

static int run_command(const struct command_row *row, int argc, char **argv)
{
    options o;
    int i, code;
    for (i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            fputs(help_text, stdout);
            return EXIT_DONE;
        }
    }
    memset(&o, 0, sizeof o);
    o.command = row->command;
    o.threads = 1;
    o.memory = (uint64_t)1 << 30; // --help says so
    o.seconds = 0.3;
    code = parse_arguments(argc, argv, &o);
    if (code) {
        return code;
    }
    if (row->operands >= 0 && o.operand_count != row->operands) {
        return fail(EXIT_USAGE, "%d file names where %d are needed: %s", o.operand_count,
                    row->operands, row->usage);
    }
    for (i = 0; i < o.operand_count; i++) {
        if (o.operands[i][0] == 0) {
            return fail(EXIT_USAGE, "file name %d is empty: %s", i + 1, row->usage);
        }
    }
    return row->run(&o);
}

static int stdout_close(int code)
{
    errno = 0;
    if (!code && (fflush(stdout) || ferror(stdout))) {
        code = fail(EXIT_FILE, "cannot write standard output: %s",
                    strerror(errno ? errno : EIO)); // the errno of an earlier line is gone
    }
    return code;
}

int main(int argc, char **argv)
{
    const struct command_row *row = NULL;
    size_t i;
    watch_signals();
    if (argc < 2) {
        return fail(EXIT_USAGE, "say what to do: pack, unpack, info, verify, cut or bench; "
                                "padic --help explains them");
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        fputs(help_text, stdout);
        return stdout_close(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("padic " PADIC_VERSION " (wire version %d)\n", PADIC_CODEC_WIRE_VERSION);
        return stdout_close(EXIT_DONE);
    }
    for (i = 0; i < sizeof command_rows / sizeof command_rows[0]; i++) {
        if (strcmp(argv[1], command_rows[i].name) == 0) {
            row = &command_rows[i];
        }
    }
    if (!row) {
        return fail(EXIT_USAGE,
                    "%s is not a command; use pack, unpack, info, verify, cut or bench, "
                    "or see padic --help",
                    argv[1]);
    }
    return stdout_close(run_command(row, argc - 2, argv + 2));
}
