// fuzz_pack.c: the bytes are the choices of tests/codec/gen.h: an array and how it is packed. It is
// packed, decoded in every way and compared by codec/check_pack.h. See fuzz.h. For many executions
// (a thousand a second and core) without the sanitizers, which fuzz_read needs more:
//
//     clang -O2 -fsanitize=fuzzer -fno-sanitize-coverage=trace-cmp tests/fuzz/fuzz_pack.c -o f -lm
//     ./f -max_len=320 corpus tests/fuzz/corpus/fuzz_pack
#include "fuzz.h"

#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
// Coverage is that of the library, not of what looks at it.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif
#include "../support/padic_test.h"

#include "../codec/codec_cases.h"
#include "../codec/codec_reader.h"

#include "../codec/check_pack.h"
#ifdef __clang__
#pragma clang attribute pop
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static check_tools tools;
    static gen_case c;
    if (!tools.arena) check_begin(&tools);
    gen_make(&c, data, size);
    const int bad = check_pack(&tools, &c);
    if (bad) {
        fprintf(stderr, "%s\n%s\n", c.text, tools.why);
        for (size_t i = 0; i < size; i++) fprintf(stderr, "%s%02x", i ? "" : "--string ", data[i]);
        fprintf(stderr, "\n");
        abort();
    }
    gen_free(&c);
    return 0;
}
