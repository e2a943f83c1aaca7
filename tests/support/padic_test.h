// padic_test.h: unit tests in C99 or C++11 with no dependency. A test program looks like this:
//
//     #define PADIC_IMPLEMENTATION
//     #include "../../padic.h"
//     #include "padic_test.h"
//
//     TEST(sums)                                   // a function `static void test_sums(void)`
//     {
//         CHECK(1 + 1 == 2);                       // a failure is printed, the test goes on
//         CHECK_EQ(6 * 7, 42);                     // integers; prints both sides
//         CHECK_NEAR(0.1 + 0.2, 0.3, 1e-15);       // |a - b| <= tolerance; a NaN always fails
//         void *p = malloc(4);
//         REQUIRE(p != NULL);                      // a failure ends the test function
//         for (int i = 0; i < (test_tiny ? 10 : 1000); i++) CHECK(test_random() % 3 < 3);
//         free(p);
//     }
//
//     TEST(gpu) { SKIP("no GPU here"); }           // ends the test function, counted as skipped
//
//     TEST_MAIN("example", CASE(sums), CASE(gpu))  // a test left out is an unused-function warning
//
//     cc -Wall -Werror test_example.c -lm -lpthread && ./a.out [--filter PART] [--seed N] [--tiny]
//                                                     [--list]
//
// Add the program to the list in meson.build. Its last line is `example: 1 passed, 0 failed,
// 1 skipped`, which run.sh counts. It exits with 0; 1 when a test failed or no test was chosen; 77
// when all that ran were skipped. --tiny asks for sizes that slow tools (emulators, sanitizers of
// threads) finish in seconds. test_random() starts anew in each test from --seed and the test's
// name, so a test chosen alone sees the same numbers. The CHECK family is for the main thread only.
// Programs run with the repository's root as working directory: open "tests/golden/x" as it stands.
#ifndef PADIC_TEST_H
#define PADIC_TEST_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEST(name) static void test_##name(void)
#define CASE(name) {#name, test_##name}
#define CHECK(x) ((x) ? (void)0 : test_failed(__FILE__, __LINE__, #x))
#define CHECK_EQ(a, b) test_equal(__FILE__, __LINE__, #a " == " #b, (uint64_t)(a), (uint64_t)(b))
#define CHECK_NEAR(a, b, tolerance) \
    test_near(__FILE__, __LINE__, #a " near " #b, (double)(a), (double)(b), (double)(tolerance))
// Not do { } while (0), whose constant condition MSVC's /W4 reports.
#define REQUIRE(x) \
    if (!(x)) { \
        test_failed(__FILE__, __LINE__, #x); \
        return; \
    } else ((void)0)
#define SKIP(why) \
    if (1) { \
        test_skip_reason = (why); \
        return; \
    } else ((void)0)
#define TEST_MAIN(program, ...) \
    int main(int argc, char **argv) \
    { \
        static const test_case cases[] = {__VA_ARGS__}; \
        return test_main(program, cases, (int)(sizeof cases / sizeof *cases), argc, argv); \
    }

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

static int test_tiny = 0;
static uint64_t test_seed = 1;
static uint64_t test_random_state = 0;
static int test_failures = 0; // of the running test
static const char *test_skip_reason = NULL;

// How much of something: under --tiny, by itself, and where FULL is set (tests/run.sh full).
static inline int test_full(void)
{
    const char *word = getenv("FULL");
    return word && word[0] && word[0] != '0';
}

static inline int test_amount(int tiny, int own, int full)
{
    return test_tiny ? tiny : test_full() ? full : own;
}

// splitmix64
static inline uint64_t test_random(void)
{
    uint64_t z = (test_random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline void test_failed(const char *file, int line, const char *what)
{
    // The first few say what is wrong; a loop over a million values need not repeat it.
    if (test_failures++ < 5) printf("\n  %s:%d: failed: %s", file, line, what);
    fflush(stdout);
}

static inline void test_equal(const char *file, int line, const char *what, uint64_t a, uint64_t b)
{
    if (a == b) return;
    test_failed(file, line, what);
    if (test_failures > 5) return;
    const uint32_t a_low = (uint32_t)a, b_low = (uint32_t)b; // no %llu: old Windows lacks it
    printf(" (0x%08lx%08lx, 0x%08lx%08lx; low words %ld, %ld)", (unsigned long)(a >> 32),
           (unsigned long)a_low, (unsigned long)(b >> 32), (unsigned long)b_low,
           (long)(int32_t)a_low, (long)(int32_t)b_low);
}

static inline void test_near(const char *file, int line, const char *what, double a, double b,
                             double tolerance)
{
    const double difference = a > b ? a - b : b - a;
    if (a == b || difference <= tolerance) return; // equal infinities differ by NaN
    test_failed(file, line, what);
    if (test_failures <= 5) printf(" (%.17g, %.17g; tolerance %.3g)", a, b, tolerance);
}

static inline int test_main(const char *program, const test_case *cases, int count, int argc,
                            char **argv)
{
    const char *filter = "";
    int passed = 0, failed = 0, skipped = 0, list = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(word, "--tiny")) {
            test_tiny = 1;
        } else if (!strcmp(word, "--list")) {
            list = 1;
        } else if (!strcmp(word, "--filter") && value) {
            filter = value;
            i++;
        } else if (!strcmp(word, "--seed") && value) {
            test_seed = strtoull(value, NULL, 0);
            i++;
        } else {
            return printf("%s: unknown argument %s\n", program, word), 2;
        }
    }
    for (int i = 0; i < count; i++) {
        if (!strstr(cases[i].name, filter)) continue;
        if (list) {
            printf("%s\n", cases[i].name);
            passed++;
            continue;
        }
        printf("%s", cases[i].name); // before it runs, so that a crash names its test
        fflush(stdout);
        test_failures = 0;
        test_skip_reason = NULL;
        test_random_state = test_seed;
        for (const char *c = cases[i].name; *c; c++) {
            test_random_state = (test_random_state ^ (uint64_t)(unsigned char)*c) * 1099511628211u;
        }
        const clock_t begin = clock();
        cases[i].run();
        const long ms = (long)((double)(clock() - begin) * 1000.0 / (double)CLOCKS_PER_SEC);
        if (test_failures) {
            failed++;
            printf("\n  FAILED %s: %d checks, seed %lu\n", cases[i].name, test_failures,
                   (unsigned long)test_seed);
        } else if (test_skip_reason) {
            skipped++;
            printf(": skipped: %s\n", test_skip_reason);
        } else {
            passed++;
            printf(": ok, %ld ms\n", ms);
        }
        fflush(stdout);
    }
    if (list) return 0;
    if (passed + failed + skipped == 0) printf("no test matches %s\n", filter), failed = 1;
    printf("%s: %d passed, %d failed, %d skipped\n", program, passed, failed, skipped);
    return failed ? 1 : passed ? 0 : 77;
}

#endif // PADIC_TEST_H
