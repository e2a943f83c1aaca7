// test_sample.c: radical inverses, Halton and Hammersley points, scramblings and shuffles, against
// a schoolbook digit loop that shares nothing with the library but Philox.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/padic_test.h"
#include "../support/sample_calls.h"

enum { NONE, PERMUTE, OWEN, FULL };
enum { MANY = 5000 };

static const uint32_t bases[] = {2,   3,   4,   5,    6,    7,    10,    11,   16,   23, 100,
                                 256, 257, 512, 1020, 1021, 1031, 65521, 65536, 65537};
enum { BASES = (int)(sizeof bases / sizeof *bases) };

// ---- the oracle: digits by %, products and quotients bit by bit, permutations as arrays

static int oracle_prime(uint32_t n)
{
    for (uint32_t d = 2; d < n; d++)
        if (n % d == 0) return 0;
    return n > 1;
}

// D, and b^D (0 for 2^64).
static uint32_t oracle_levels(uint32_t b, int is_long, uint64_t *period)
{
    uint32_t n = 0;
    uint64_t p = 1;
    if (is_long) {
        uint64_t last = UINT64_MAX; // of 2^64 - 1 = ..., how often b goes in: (2^64 / b^n) >= 1
        int power_of_two = (b & (b - 1)) == 0;
        while (last >= b) {
            last /= b;
            p *= b;
            n++;
        }
        if (power_of_two && last == b - 1) {
            p *= b;
            n++;
        }
    } else {
        while (p * b <= UINT64_C(0x100000000)) {
            p *= b;
            n++;
        }
    }
    *period = p;
    return n;
}

// floor(a b / 2^64), by adding shifted copies.
static uint64_t oracle_high(uint64_t a, uint64_t b)
{
    uint64_t high = 0, low = 0;
    for (int bit = 63; bit >= 0; bit--) {
        high = high << 1 | low >> 63;
        low <<= 1;
        if (b >> bit & 1) {
            low += a;
            high += low < a;
        }
    }
    return high;
}

// floor(2^bits r / period), r < period; a period of 0 is 2^64.
static uint64_t oracle_cut(uint64_t r, uint64_t period, int bits)
{
    uint64_t q = 0;
    for (int k = 0; k < bits; k++) {
        const int over = (int)(r >> 63);
        r <<= 1;
        q <<= 1;
        if (period ? over || r >= period : over) {
            r -= period;
            q++;
        }
    }
    return q;
}

static uint64_t oracle_mix(uint64_t h, int wide)
{
    if (wide) {
        h ^= h >> 30;
        h *= UINT64_C(0xbf58476d1ce4e5b9);
        h ^= h >> 27;
        h *= UINT64_C(0x94d049bb133111eb);
        return h ^ (h >> 31);
    }
    uint32_t x = (uint32_t)h;
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

static uint64_t oracle_times(uint64_t h, uint64_t n, int wide) // mulhi
{
    return wide ? oracle_high(h, n) : ((h & 0xffffffffu) * n) >> 32;
}

// What a node makes of digit d.
static uint32_t oracle_digit(uint32_t b, int is_long, int mode, uint64_t prefix, uint64_t key,
                             uint32_t d, int affine)
{
    static uint32_t place[70000];
    const int wide = is_long || b > 1021;
    const uint64_t h = oracle_mix((mode == PERMUTE ? 0 : prefix) ^ key, wide);
    if (affine) {
        const uint64_t c = oracle_times(h, b, wide);
        const uint64_t second = wide ? UINT64_C(0x9e3779b97f4a7c15) : UINT64_C(0x01000193);
        const uint64_t a = 1 + oracle_times(h * second, b - 1, wide);
        return (uint32_t)((a * d + c) % b);
    }
    for (uint32_t j = 0; j < b; j++) place[j] = j;
    for (uint32_t j = b - 1; j > 0; j--) {
        const uint64_t hash = oracle_mix(h + j * UINT64_C(0x9e3779b9), wide);
        const uint32_t other = (uint32_t)oracle_times(hash, j + 1, wide), was = place[j];
        place[j] = place[other];
        place[other] = was;
    }
    return place[d];
}

// The reversal of the (scrambled) digits of i; *index becomes the scrambled index.
static uint64_t oracle_reverse(uint32_t b, int is_long, int mode, const uint64_t *keys, uint64_t i,
                               uint64_t *index)
{
    uint64_t period, r = 0, s = 0, weight = 1;
    const uint32_t levels = oracle_levels(b, is_long, &period);
    const int affine = mode != FULL && (mode == NONE || oracle_prime(b));
    for (uint32_t k = 0; k < levels; k++) {
        uint32_t d = (uint32_t)(i % b);
        if (mode) d = oracle_digit(b, is_long, mode, r, keys[k], d, affine);
        i /= b;
        r = r * b + d;
        s += d * weight;
        weight *= b;
    }
    if (index) *index = s;
    return r;
}

static int can_scramble(uint32_t b, int mode)
{
    return mode == NONE || b <= 1021 || (mode != FULL && oracle_prime(b));
}

// ---- short forms of the calls

// A number that the enumeration does not have; a cast of it is not defined in C++.
static void set_enum(void *field, int value)
{
    memcpy(field, &value, sizeof value);
}

static uint64_t keys_of[64];

static padic_sample_scrambling scrambling_of(uint32_t b, int is_long, int mode, uint64_t seed,
                                             uint32_t dimension)
{
    padic_sample_keys_desc keys = PADIC_ZERO;
    padic_sample_scrambling s = PADIC_ZERO;
    keys.seed = seed;
    keys.base = b;
    keys.digits = (padic_sample_digits)is_long;
    keys.dimension = dimension;
    CHECK_EQ(sample_keys(&keys, keys_of, sizeof keys_of), PADIC_OK);
    s.mode = (padic_sample_mode)mode;
    s.keys = padic_tensor_1d(PADIC_U64, keys_of, padic_sample_keys_count(&keys));
    return s;
}

static padic_sample_radical_inverse_desc inverse_of(uint32_t b, int is_long, padic_dtype dtype,
                                                    void *out, uint64_t n)
{
    padic_sample_radical_inverse_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_1d(dtype, out, n);
    desc.base = b;
    desc.digits = (padic_sample_digits)is_long;
    return desc;
}

static uint64_t period_minus(uint32_t b, int is_long) // b^D - 1
{
    uint64_t period;
    oracle_levels(b, is_long, &period);
    return period - 1;
}

// An index anywhere in [0, last], often near the ends.
static uint64_t some_index(uint64_t last)
{
    const uint64_t x = test_random(), kind = test_random() % 4;
    if (kind == 0) return x % 1000 > last ? last : x % 1000;
    if (kind == 1) return last - (x % 1000 > last ? last : x % 1000);
    return last == UINT64_MAX ? x : x % (last + 1);
}

// ---- tests

TEST(primes)
{
    uint32_t n = 0;
    for (uint32_t p = 2; n < 1024; p++)
        if (oracle_prime(p)) CHECK_EQ(padic_sample_prime(n++), p);
    CHECK_EQ(padic_sample_prime(1023), 8161);
    CHECK_EQ(padic_sample_prime(1024), 0);
    CHECK_EQ(padic_sample_prime(UINT32_MAX), 0);
}

TEST(levels)
{
    static const uint32_t known[6][3] = {{2, 32, 64}, {3, 20, 40}, {5, 13, 27},
                                         {7, 11, 22}, {11, 9, 18}, {257, 3, 7}};
    uint64_t last, period;
    for (int i = 0; i < 6; i++) {
        CHECK_EQ(padic_sample_levels(known[i][0], PADIC_SAMPLE_DIGITS_SHORT), known[i][1]);
        CHECK_EQ(padic_sample_levels(known[i][0], PADIC_SAMPLE_DIGITS_LONG), known[i][2]);
    }
    for (uint32_t b = 2; b <= 65537; b++)
        for (int is_long = 0; is_long < 2; is_long++) {
            const uint32_t levels = padic_sample_levels(b, (padic_sample_digits)is_long);
            last = padic_sample_last_index(b, (padic_sample_digits)is_long);
            CHECK_EQ(levels, oracle_levels(b, is_long, &period));
            CHECK_EQ(last, period - 1);
        }
    for (int i = 0; i < 3; i++) {
        static const uint32_t none[3] = {0, 1, 65538};
        CHECK_EQ(padic_sample_levels(none[i], PADIC_SAMPLE_DIGITS_LONG), 0);
        CHECK_EQ(padic_sample_last_index(none[i], PADIC_SAMPLE_DIGITS_LONG), 0);
    }
    padic_sample_digits wrong;
    set_enum(&wrong, 2);
    CHECK_EQ(padic_sample_levels(3, wrong) + padic_sample_last_index(3, wrong), 0);
}

TEST(first_halton_points)
{
    static const uint64_t top[2][6] = {{0, 1, 1, 3, 1, 5}, {0, 1, 2, 1, 4, 7}};
    static const uint64_t bottom[2][6] = {{1, 2, 4, 4, 8, 8}, {1, 3, 3, 9, 9, 9}};
    uint32_t word[2][6];
    double x[6][2];
    padic_sample_halton_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_U32, word, 2, 6);
    REQUIRE(padic_sample_halton(NULL, &desc) == PADIC_OK);
    desc.out = padic_tensor_2d(PADIC_F64, x, 6, 2);
    desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    desc.digits = PADIC_SAMPLE_DIGITS_LONG;
    REQUIRE(padic_sample_halton(NULL, &desc) == PADIC_OK);
    for (int c = 0; c < 2; c++)
        for (int i = 0; i < 6; i++) {
            CHECK_EQ(word[c][i], oracle_cut(top[c][i], bottom[c][i], 32));
            CHECK_NEAR(x[i][c], (double)top[c][i] / (double)bottom[c][i], 1.2e-16);
        }
    CHECK_EQ(word[1][1], 1431655765);
    CHECK_EQ(word[1][2], 2863311530u);
}

// Reversals R of the indices 1, 123456789 mod b^D and b^D - 1, seed 0x0123456789abcdef, dimension
// 7: {base, LONG, mode, {R, R, R}}, from a program of big integers in another language.
typedef struct golden_row {
    uint32_t base;
    int is_long, mode;
    uint64_t r[3];
} golden_row;
static const golden_row golden[] = {
    {2, 0, 0, {0x80000000u, 0xa8b3dae0u, 0xffffffffu}},
    {2, 0, 1, {0x6d3752bdu, 0x4584885du, 0x12c8ad42u}},
    {2, 0, 2, {0x72101ee5u, 0x49f6fb15u, 0x1e70fc4du}},
    {2, 0, 3, {0xfbecb49u, 0x3ee278a3u, 0x6b791edbu}},
    {2, 1, 0, {0x8000000000000000ull, 0xa8b3dae000000000ull, 0xffffffffffffffffull}},
    {2, 1, 1, {0xb8806ced83d67decull, 0x9033b60d83d67decull, 0xc77f93127c298213ull}},
    {2, 1, 2, {0xf5b03f11bb6502dcull, 0xcaa4b82cde99ad8full, 0x9512ae9bfaee5c31ull}},
    {2, 1, 3, {0x8edd2d37b085e465ull, 0xa71daf556a9558cfull, 0xdb64d6f5d8879807ull}},
    {3, 0, 0, {0x4546b3dbu, 0x16065267u, 0xcfd41b90u}},
    {3, 0, 1, {0x7fcbb845u, 0xc82ea9aeu, 0x277a641eu}},
    {3, 0, 2, {0x5ff60b2cu, 0x8b3e0892u, 0x1911e3fau}},
    {3, 0, 3, {0x93c471cdu, 0x5e172740u, 0x64d5cbdu}},
    {3, 1, 0, {0x383d9170b85ff80bull, 0x11e15c3caa918957ull, 0xa8b8b452291fe820ull}},
    {3, 1, 1, {0x807ced3aaf542277ull, 0x5570711d803cdb9ull, 0x4fc73c9d5610ec62ull}},
    {3, 1, 2, {0x883e3fda800792fbull, 0x45b185eb0096d7dull, 0x39b28d7e0860620aull}},
    {3, 1, 3, {0x6888b4dedf164f65ull, 0xa1c2899d8cd0f1dcull, 0x1e7c18a65768cb5aull}},
    {5, 0, 0, {0xe8d4a51u, 0x4114f1e5u, 0x48c27394u}},
    {5, 0, 1, {0x2a3f1b59u, 0x18181ab1u, 0x164eb4b8u}},
    {5, 0, 2, {0x1df8ed26u, 0x12ee821eu, 0x116cebfeu}},
    {5, 0, 3, {0x36b58464u, 0x3a8c0840u, 0x45e9d99cu}},
    {5, 1, 0, {0x14adf4b7320334b9ull, 0x5c7ca07206f74e6dull, 0x6765c793fa10079cull}},
    {5, 1, 1, {0x40f37062fa983b0eull, 0x2eef2f8b85594ddeull, 0x3226c17560ad509dull}},
    {5, 1, 2, {0x44f22db86059caa8ull, 0x2ec11ee81bdbbb34ull, 0x2a9f37b878ceab09ull}},
    {5, 1, 3, {0x1f1af8152e52a75cull, 0x31425463ccb4bfa9ull, 0x33cfd83a0a981901ull}},
    {7, 0, 0, {0x10d63af1u, 0x16a72dd5u, 0x75db9c96u}},
    {7, 0, 1, {0x3145d06au, 0x2b01fac7u, 0x1c4129bau}},
    {7, 0, 2, {0x21ef9dddu, 0x26fa5c65u, 0x14e31734u}},
    {7, 0, 3, {0x3c1812f8u, 0x3429641du, 0x6c6ac914u}},
    {7, 1, 0, {0x7c05a810b72a027ull, 0xa6dd6d1cac0d4a3ull, 0x3642798750226110ull}},
    {7, 1, 1, {0x1fe72e7349edde70ull, 0x229f05eb8fad5e94ull, 0x19957d9cbce4e80full}},
    {7, 1, 2, {0x22eb92bd5cf797dcull, 0x21691032531f5005ull, 0x1b538780309d26bdull}},
    {7, 1, 3, {0x32bdba6311f02334ull, 0x2fe0088b9cb2e980ull, 0xf762a38ab183946ull}},
    {11, 0, 0, {0xcc6db61u, 0x40f701edu, 0x8c8b6d2au}},
    {11, 0, 1, {0x315ba1b8u, 0x4b3e3a3fu, 0x2167145du}},
    {11, 0, 2, {0x312f7db9u, 0x43927326u, 0x263ef3cfu}},
    {11, 0, 3, {0x2f53bee5u, 0x1dfb0b0bu, 0x4c7c0a54u}},
    {11, 1, 0, {0x703b564fa7a264bull, 0x23aa76dfbcfe3bcfull, 0x4d28cb56c33fa538ull}},
    {11, 1, 1, {0x2a960daf8dff1f31ull, 0x3830042aa74a17c0ull, 0x25b95e9f721f876eull}},
    {11, 1, 2, {0x307d145e9165aa72ull, 0x3aa72c315212c736ull, 0x24add3f4fce475e4ull}},
    {11, 1, 3, {0x2c1cf3e3188759e7ull, 0x3fb50339d0628c0aull, 0x34586bcbafbb6a5bull}},
    {257, 0, 0, {0x10201u, 0x9e660eu, 0x1030300u}},
    {257, 0, 1, {0x5ca0cau, 0xf42eafu, 0x432aa8u}},
    {257, 0, 2, {0x5bd2eeu, 0xf4af6au, 0x42cefau}},
    {257, 0, 3, {0x4a10bdu, 0x582274u, 0x183552u}},
    {257, 1, 0, {0x1060f140f0601ull, 0xa0e35f1d9fb315ull, 0x107152323150700ull}},
    {257, 1, 1, {0x9cb3338b0d74f4ull, 0xf5b4d1bdd0e7e1ull, 0x91bf61160fba34ull}},
    {257, 1, 2, {0x9cac7618989ec8ull, 0xf64a0667e0721cull, 0x92443af83a690full}},
    {257, 1, 3, {0x38df70d92644e4ull, 0x2e316fa2b8fe1cull, 0xfa259b07c7702aull}},
    {1021, 0, 0, {0xfe809u, 0x21150a05u, 0x3f706be4u}},
    {1021, 0, 1, {0x169c77fdu, 0x79b6dfbu, 0x1051b485u}},
    {1021, 0, 2, {0x16978834u, 0x79fcbceu, 0x105501eau}},
    {1021, 0, 3, {0x23971be0u, 0x138071ffu, 0x43e321fu}},
    {1021, 1, 0, {0x3f1166f26530dull, 0x832b49d00320d79ull, 0xfb886794bd93ad8ull}},
    {1021, 1, 1, {0x964c35bb56dd6ceull, 0x5081951c5627223ull, 0x8acb1eefb03e4f4ull}},
    {1021, 1, 2, {0x9658cb25b5bcdcfull, 0x506d8733439552full, 0x8ae41113f9e6ccdull}},
    {1021, 1, 3, {0x9cc0e203f420edaull, 0xe480fdd80f9e8edull, 0x24844b9ecb7a450ull}},
    {1031, 0, 0, {0x103831u, 0x2df17745u, 0x41524d56u}},
    {1031, 0, 1, {0x27086f39u, 0x688f21au, 0x241307fbu}},
    {1031, 0, 2, {0x2709de93u, 0x6897585u, 0x24152481u}},
    {1031, 1, 0, {0x4237b571bd5a7ull, 0xbb91481f7094973ull, 0x10aae5bbd1197390ull}},
    {1031, 1, 1, {0x9f5b0bc0c52f0e2ull, 0x1aadf4fb56f1859ull, 0x9346e05756c9837ull}},
    {1031, 1, 2, {0x9f60e780aec7e98ull, 0x1ab00d82321d831ull, 0x934f7f120884065ull}},
    {65521, 0, 0, {0xfff1u, 0x3b758b45u, 0xffe200e0u}},
    {65521, 0, 1, {0x98e51d56u, 0x14d4f0e5u, 0x8d371a26u}},
    {65521, 0, 2, {0x98e52d72u, 0x14d5364fu, 0x8d378de6u}},
    {65521, 1, 0, {0xffd302a2f2d1ull, 0x3b6e93b2f03967a5ull, 0xffc40545cb44c5c0ull}},
    {65521, 1, 1, {0x98d33303bd7c64e5ull, 0x14d28003e0835594ull, 0x8d268e2d26cd34afull}},
    {65521, 1, 2, {0x98d3431d6dfade94ull, 0x14d2c5654fc91952ull, 0x8d2701e021e1adf5ull}},
    {65537, 0, 0, {0x1u, 0xc5bau, 0x10000u}},
    {65537, 0, 1, {0x98f8u, 0xe869u, 0x8d47u}},
    {65537, 0, 2, {0x98f8u, 0xe869u, 0x8d47u}},
    {65537, 1, 0, {0x100020001ull, 0xc5bb92cfcd15ull, 0x1000300030000ull}},
    {65537, 1, 1, {0x98f9453a788bull, 0xe86b46bc2a9bull, 0x8d487b6c07faull}},
    {65537, 1, 2, {0x98f94a1650deull, 0xe86afa5054a5ull, 0x8d49063b6340ull}},
    {4, 0, 0, {0x40000000u, 0x5473e5d0u, 0xffffffffu}},
    {4, 0, 1, {0xebd0a075u, 0xdf3139d5u, 0xb47d16c8u}},
    {4, 0, 2, {0xf0554d96u, 0xd793b895u, 0x8088c273u}},
    {4, 0, 3, {0xf0554d96u, 0xd793b895u, 0x8088c273u}},
    {4, 1, 0, {0x4000000000000000ull, 0x5473e5d000000000ull, 0xffffffffffffffffull}},
    {4, 1, 1, {0x42b9990eefdd29a0ull, 0x6e6877beefdd29a0ull, 0xfbe0609b48865457ull}},
    {4, 1, 2, {0x6e06a0b4e38eb4caull, 0x5f7cdf924b892d3cull, 0xe8e964886b3e6054ull}},
    {4, 1, 3, {0x6e06a0b4e38eb4caull, 0x5f7cdf924b892d3cull, 0xe8e964886b3e6054ull}},
    {6, 0, 0, {0x159fd800u, 0x45a0f794u, 0x81bf0fffu}},
    {6, 0, 1, {0x521426d0u, 0x71f2b762u, 0x3e558bf7u}},
    {6, 0, 2, {0x4be2fa28u, 0x7de8e06bu, 0x3a63fffdu}},
    {6, 0, 3, {0x4be2fa28u, 0x7de8e06bu, 0x3a63fffdu}},
    {6, 1, 0, {0xaf5af7425800000ull, 0x234a14345ae54000ull, 0x41c21cb8e0ffffffull}},
    {6, 1, 1, {0xb1536adbaf69c9full, 0x25adc143be08bc9full, 0x3e9efcc4dd607dfeull}},
    {6, 1, 2, {0x1026e75c97fd118bull, 0x22bd47dccd09a865ull, 0x38fcfda5bc59495dull}},
    {6, 1, 3, {0x1026e75c97fd118bull, 0x22bd47dccd09a865ull, 0x38fcfda5bc59495dull}},
    {10, 0, 0, {0x5f5e100u, 0x3ade68b1u, 0x3b9ac9ffu}},
    {10, 0, 1, {0x148663aeu, 0x19d8acb5u, 0x1bccd30du}},
    {10, 0, 2, {0x1641f345u, 0x1a419c46u, 0x1b64c02fu}},
    {10, 0, 3, {0x1641f345u, 0x1a419c46u, 0x1b64c02fu}},
    {10, 1, 0, {0xde0b6b3a7640000ull, 0x891087b8a8d8a400ull, 0x8ac7230489e7ffffull}},
    {10, 1, 1, {0x5fc1418dce52b98dull, 0x797545651b464d8dull, 0x7772bdcd3e966353ull}},
    {10, 1, 2, {0x5870ba568a735e35ull, 0x7656e5b2a54005fbull, 0x6fc0618b565c35d3ull}},
    {10, 1, 3, {0x5870ba568a735e35ull, 0x7656e5b2a54005fbull, 0x6fc0618b565c35d3ull}},
    {1020, 0, 0, {0xfe010u, 0x451ea36u, 0x3f40bfbfu}},
    {1020, 0, 1, {0x2378b76eu, 0x1a58514du, 0xe5d4643u}},
    {1020, 0, 2, {0x2385483eu, 0x1a549ed6u, 0xe5b7ca1u}},
    {1020, 0, 3, {0x2385483eu, 0x1a549ed6u, 0xe5b7ca1u}},
    {1020, 1, 0, {0x3ec27d813fc00ull, 0x111405a32adf280ull, 0xfa0eec0efa00fffull}},
    {1020, 1, 1, {0x9bfce1651fb7d0cull, 0x1334567121de78cull, 0xddbcfa4c073393bull}},
    {1020, 1, 2, {0x9bfcbb7ccb5ce22ull, 0x132a088d91dcf35ull, 0xddd0de488a7c518ull}},
    {1020, 1, 3, {0x9bfcbb7ccb5ce22ull, 0x132a088d91dcf35ull, 0xddd0de488a7c518ull}},
};

TEST(scrambled_goldens)
{
    for (size_t g = 0; g < sizeof golden / sizeof *golden; g++) {
        const uint32_t b = golden[g].base;
        const uint64_t last = period_minus(b, golden[g].is_long);
        uint64_t index[3], r[3];
        index[0] = 1;
        index[1] = last == UINT64_MAX ? 123456789 : 123456789 % (last + 1);
        index[2] = last;
        padic_sample_radical_inverse_desc desc =
            inverse_of(b, golden[g].is_long, PADIC_U64, r, 3);
        desc.index = padic_tensor_1d(PADIC_U64, index, 3);
        desc.scrambling = scrambling_of(b, golden[g].is_long, golden[g].mode,
                                        UINT64_C(0x0123456789abcdef), 7);
        desc.reversed = 1;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        for (int i = 0; i < 3; i++) CHECK_EQ(r[i], golden[g].r[i]);
    }
}

// Every base, digit count, mode, dtype and kind of index against the oracle.
TEST(oracle)
{
    enum { N = 70 };
    static const padic_dtype dtypes[4] = {PADIC_U32, PADIC_U64, PADIC_F32, PADIC_F64};
    static uint64_t index[N], r[N];
    static union {
        uint32_t u32[N];
        uint64_t u64[N];
        float f32[N];
        double f64[N];
    } out;
    for (int trial = 0; trial < BASES * 8; trial++) {
        const uint32_t b = bases[trial / 8];
        const int is_long = trial % 8 / 4, mode = trial % 4;
        const uint64_t last = period_minus(b, is_long);
        const int n = mode == FULL || (mode && !oracle_prime(b)) ? (b > 90 ? 3 : 20) : N;
        if (!can_scramble(b, mode)) continue;
        padic_sample_scrambling s = scrambling_of(b, is_long, mode, 42, (uint32_t)trial);
        for (int ranged = 0; ranged < 2; ranged++) {
            index[0] = some_index(last - N);
            for (int i = 0; i < n; i++) {
                index[i] = ranged ? index[0] + (uint64_t)i : some_index(last);
                r[i] = oracle_reverse(b, is_long, mode, keys_of, index[i], NULL);
            }
            for (int t = 0; t < 4; t++) {
                padic_sample_radical_inverse_desc desc =
                    inverse_of(b, is_long, dtypes[t], &out, (uint64_t)n);
                desc.scrambling = s;
                desc.first = index[0];
                if (!ranged) desc.index = padic_tensor_1d(PADIC_U64, index, (uint64_t)n);
                CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
                for (int i = 0; i < n; i++) {
                    const uint64_t all = oracle_cut(r[i], last + 1, 64);
                    if (t == 0) CHECK_EQ(out.u32[i], all >> 32);
                    if (t == 1) CHECK_EQ(out.u64[i], all);
                    if (t == 2) CHECK(out.f32[i] == (float)(all >> 40) / 16777216.0f);
                    if (t == 3) CHECK(out.f64[i] == (double)(all >> 11) / 9007199254740992.0);
                }
            }
        }
    }
}

// Small bases: every index below b^m, by range and by array.
TEST(small_bases)
{
    static uint64_t r[1 << 13], index[1 << 13];
    for (uint32_t b = 2; b <= 40; b++)
        for (int is_long = 0; is_long < 2; is_long++) {
            const uint64_t n = test_tiny ? 700 : sizeof r / sizeof *r;
            padic_sample_radical_inverse_desc desc = inverse_of(b, is_long, PADIC_U64, r, n);
            desc.reversed = 1;
            for (int array = 0; array < 2; array++) {
                for (uint64_t i = 0; i < n; i++) index[i] = i;
                if (array) desc.index = padic_tensor_1d(PADIC_U64, index, n);
                CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
                for (uint64_t i = 0; i < n; i++)
                    CHECK_EQ(r[i], oracle_reverse(b, is_long, NONE, NULL, i, NULL));
            }
        }
}

// Any b^m points from a multiple of b^m on hit each cell [c, c + 1) / b^m once.
TEST(cells)
{
    static double x[MANY];
    static uint64_t r[MANY];
    static unsigned char seen[MANY];
    for (int trial = 0; trial < BASES * 8; trial++) {
        const uint32_t b = bases[trial / 8];
        const int is_long = trial % 8 / 4, mode = trial % 4;
        const int slow = mode == FULL || (mode && !oracle_prime(b));
        uint64_t period, n = b, cell = 0;
        uint32_t levels = oracle_levels(b, is_long, &period), m = 1;
        if (!can_scramble(b, mode) || b > MANY) continue;
        if (slow && b > 300 && test_tiny) continue;
        while (n * b <= (slow ? 600 : MANY)) n *= b, m++;
        cell = 1; // b^(D - m): how many R a cell has
        for (uint32_t k = m; k < levels; k++) cell *= b;
        padic_sample_radical_inverse_desc desc = inverse_of(b, is_long, PADIC_U64, r, n);
        desc.scrambling = scrambling_of(b, is_long, mode, 5, (uint32_t)trial);
        desc.reversed = 1;
        desc.first = n * (uint64_t)(trial % 7);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < n; i++) {
            REQUIRE(r[i] / cell < n);
            CHECK(!seen[r[i] / cell]++);
        }
        desc.out = padic_tensor_1d(PADIC_F64, x, n);
        desc.reversed = 0;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        memset(seen, 0, sizeof seen);
        for (uint64_t i = 0; i < n; i++) {
            const int64_t at = (int64_t)(x[i] * (double)n + 1e-9);
            REQUIRE(at >= 0 && at < (int64_t)n);
            CHECK(!seen[at]++);
        }
    }
}

static uint32_t valuation(uint64_t a, uint64_t b, uint32_t base) // of a - b; they differ
{
    uint64_t x = a > b ? a - b : b - a;
    uint32_t v = 0;
    for (; x % base == 0; v++) x /= base;
    return v;
}

// v(s(x) - s(y)) = v(x - y) for all pairs of a block, and s is a bijection of it.
TEST(isometry)
{
    static const uint32_t some[] = {2, 3, 4, 5, 6, 7, 11, 13, 100};
    uint64_t s[300], index[300];
    for (int trial = 0; trial < 9 * 6; trial++) {
        const uint32_t b = some[trial / 6];
        const int is_long = trial % 2, mode = 1 + trial % 3;
        uint64_t n = b;
        uint32_t m = 1, levels = oracle_levels(b, is_long, index);
        while (n * b <= 300) n *= b, m++;
        for (int cut = 0; cut < 2; cut++) {
            padic_sample_shuffle_index_desc desc = PADIC_ZERO;
            desc.out = padic_tensor_1d(PADIC_U64, s, n);
            desc.base = b;
            desc.digits = (padic_sample_digits)is_long;
            desc.levels = cut ? m : 0;
            desc.first = 7 * n;
            desc.scrambling = scrambling_of(b, is_long, mode, 9, (uint32_t)trial);
            CHECK_EQ(padic_sample_shuffle_index(NULL, &desc), PADIC_OK);
            for (uint64_t i = 0; i < n; i++) {
                if (cut) { // digits from m on stay
                    CHECK_EQ(s[i] / n, 7);
                } else {
                    oracle_reverse(b, is_long, mode, keys_of, 7 * n + i, &index[i]);
                    CHECK_EQ(s[i], index[i]);
                }
                for (uint64_t j = 0; j < i; j++)
                    CHECK_EQ(valuation(s[i], s[j], b), valuation(i, j, b));
            }
        }
        (void)levels;
    }
}

TEST(inverses)
{
    enum { N = 200 };
    uint64_t index[N], r[N], scrambled[N], back[N], direct[N];
    uint32_t short_r[N], short_index[N];
    for (int trial = 0; trial < BASES * 8; trial++) {
        const uint32_t b = bases[trial / 8];
        const int is_long = trial % 8 / 4, mode = trial % 4;
        const uint64_t last = period_minus(b, is_long);
        const uint64_t n = mode == FULL || (mode && !oracle_prime(b)) ? 20 : N;
        if (!can_scramble(b, mode)) continue;
        for (uint64_t i = 0; i < n; i++) index[i] = some_index(last);
        padic_sample_radical_inverse_desc desc = inverse_of(b, is_long, PADIC_U64, r, n);
        desc.index = padic_tensor_1d(PADIC_U64, index, n);
        desc.reversed = 1;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);

        padic_sample_radical_index_desc undo = PADIC_ZERO;
        undo.reversals = padic_tensor_1d(PADIC_U64, r, n);
        undo.out = padic_tensor_1d(PADIC_U64, back, n);
        undo.base = b;
        undo.digits = (padic_sample_digits)is_long;
        CHECK_EQ(padic_sample_radical_index(NULL, &undo), PADIC_OK);
        CHECK(!memcmp(back, index, (size_t)n * 8));

        padic_sample_scramble_desc map = PADIC_ZERO;
        map.reversals = padic_tensor_1d(PADIC_U64, r, n);
        map.out = padic_tensor_1d(PADIC_U64, scrambled, n);
        map.base = b;
        map.digits = (padic_sample_digits)is_long;
        map.scrambling = scrambling_of(b, is_long, mode, 77, (uint32_t)trial);
        CHECK_EQ(padic_sample_scramble(NULL, &map), PADIC_OK);
        desc.scrambling = map.scrambling;
        desc.out.data = direct;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        CHECK(!memcmp(direct, scrambled, (size_t)n * 8));
        map.reversals.data = scrambled; // in place
        CHECK_EQ(sample_unscramble(NULL, &map), PADIC_OK);
        CHECK(!memcmp(scrambled, r, (size_t)n * 8));
        CHECK_EQ(sample_unscramble(NULL, &map), PADIC_OK); // the other way round
        CHECK_EQ(padic_sample_scramble(NULL, &map), PADIC_OK);
        CHECK(!memcmp(scrambled, r, (size_t)n * 8));
        if (is_long) continue;
        desc.scrambling.mode = PADIC_SAMPLE_MODE_NONE; // 32-bit words, one place apart
        desc.out = padic_tensor_1d(PADIC_U32, short_r, n);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        undo.reversals = padic_tensor_1d(PADIC_U32, short_r, n);
        undo.out = padic_tensor_1d(PADIC_U32, short_index, n);
        CHECK_EQ(padic_sample_radical_index(NULL, &undo), PADIC_OK);
        for (uint64_t i = 0; i < n; i++) {
            CHECK_EQ(short_r[i], r[i]);
            CHECK_EQ(short_index[i], index[i]);
        }
    }
}

// What a level does to its digit: a permutation; PERMUTE: whatever the digits before; OWEN: not.
TEST(nodes)
{
    static uint64_t s[1 << 12];
    static unsigned char seen[1 << 12];
    for (int trial = 0; trial < BASES * 3; trial++) {
        const uint32_t b = bases[trial / 3];
        const int mode = 1 + trial % 3;
        const uint64_t nodes = b < 50 ? b : 2;
        uint64_t same = 0;
        if (!can_scramble(b, mode) || b > 1100) continue;
        padic_sample_shuffle_index_desc desc = PADIC_ZERO;
        desc.out = padic_tensor_1d(PADIC_U64, s, b * nodes);
        desc.base = b;
        desc.scrambling = scrambling_of(b, 0, mode, 3, (uint32_t)trial);
        CHECK_EQ(padic_sample_shuffle_index(NULL, &desc), PADIC_OK);
        memset(seen, 0, sizeof seen);
        for (uint64_t d = 0; d < b; d++) CHECK(!seen[s[d] % b]++);
        for (uint64_t d = 0; d < b; d++) // digit 1 of d + b and of 0 + b
            same += s[d + b] / b % b == s[b] / b % b;
        if (mode == PERMUTE) CHECK_EQ(same, b);
        if (mode != PERMUTE && b > 4) CHECK(same < b);
    }
}

TEST(keys)
{
    padic_sample_keys_desc desc = PADIC_ZERO;
    uint64_t keys[200], one[64];
    uint32_t word[4], at = 0;
    desc.seed = UINT64_C(0xfedcba9876543210);
    desc.dimension = 2;
    desc.dimensions = 5; // bases 5, 7, 11, 13, 17
    const size_t bytes = 8 * padic_sample_keys_count(&desc);
    CHECK_EQ(bytes, 8 * (13 + 11 + 9 + 8 + 7));
    memset(keys, 0x5a, sizeof keys);
    CHECK_EQ(sample_keys(&desc, keys, bytes - 1), PADIC_ERROR_CAPACITY);
    CHECK_EQ(keys[0], UINT64_C(0x5a5a5a5a5a5a5a5a));
    REQUIRE(sample_keys(&desc, keys, bytes) == PADIC_OK);
    CHECK_EQ(keys[bytes / 8], UINT64_C(0x5a5a5a5a5a5a5a5a));
    for (uint32_t d = 2; d < 7; d++) {
        const uint32_t base = padic_sample_prime(d);
        const uint32_t levels = padic_sample_levels(base, PADIC_SAMPLE_DIGITS_SHORT);
        for (uint32_t k = 0; k < levels; k++) {
            padic_random_block(desc.seed, d, k, 0, word);
            CHECK_EQ(keys[at++], word[0] | (uint64_t)word[1] << 32);
        }
    }
    desc.dimensions = 1; // a base of one's own, and any number for its dimension
    desc.base = 10;
    desc.dimension = UINT32_MAX;
    desc.digits = PADIC_SAMPLE_DIGITS_LONG;
    CHECK_EQ(8 * padic_sample_keys_count(&desc), 19 * 8);
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_OK);
    padic_random_block(desc.seed, UINT32_MAX, 18, 0, word);
    CHECK_EQ(one[18], word[0] | (uint64_t)word[1] << 32);

    desc.dimensions = 2;
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_LIMIT);
    CHECK_EQ(8 * padic_sample_keys_count(&desc), 0);
    desc.base = 0;
    desc.dimension = 1023;
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_LIMIT);
    desc.dimensions = 0; // 1
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_OK);
    desc.dimension = 1024;
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_LIMIT);
    desc.dimension = 0;
    CHECK_EQ(sample_keys(&desc, NULL, sizeof one), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sample_keys(NULL, one, sizeof one), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(8 * padic_sample_keys_count(NULL), 0);
    desc.base = 1;
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_ARGUMENT);
    desc.base = 65538;
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_LIMIT);
    desc.base = 2;
    set_enum(&desc.digits, 7);
    CHECK_EQ(sample_keys(&desc, one, sizeof one), PADIC_ERROR_ARGUMENT);
}

// Halton coordinates are radical inverses; planes, points and strides hold the same numbers.
TEST(halton)
{
    enum { N = 130, DIMENSIONS = 9 };
    static float planes[DIMENSIONS][N], points[N][DIMENSIONS], wide[N][2 * DIMENSIONS + 3], one[N];
    static uint64_t keys[DIMENSIONS * 64], index[N];
    for (int trial = 0; trial < 8; trial++) {
        const int mode = trial % 4 == FULL ? OWEN : trial % 4;
        const uint32_t dimension = trial < 4 ? 0 : 700;
        padic_sample_keys_desc init = PADIC_ZERO;
        init.seed = 11;
        init.dimension = dimension;
        init.dimensions = DIMENSIONS;
        padic_sample_halton_desc desc = PADIC_ZERO;
        desc.out = padic_tensor_2d(PADIC_F32, planes, DIMENSIONS, N);
        desc.dimension = dimension;
        desc.first = 12345;
        desc.scrambling.mode = (padic_sample_mode)mode;
        desc.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, padic_sample_keys_count(&init));
        REQUIRE(sample_keys(&init, keys, sizeof keys) == PADIC_OK);
        CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
        desc.out = padic_tensor_2d(PADIC_F32, points, N, DIMENSIONS);
        desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
        for (int i = 0; i < N; i++) index[i] = 12345 + (uint64_t)i;
        desc.index = padic_tensor_1d(PADIC_U64, index, N);
        CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
        desc.out.data = wide;
        desc.out.stride[0] = 2 * DIMENSIONS + 3;
        desc.out.stride[1] = 2;
        memset(wide, 0x77, sizeof wide);
        const float untouched = wide[0][1];
        CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
        for (uint32_t c = 0; c < DIMENSIONS; c++) {
            const uint32_t base = padic_sample_prime(dimension + c);
            padic_sample_radical_inverse_desc single = inverse_of(base, 0, PADIC_F32, one, N);
            single.first = 12345;
            single.scrambling = scrambling_of(base, 0, mode, 11, dimension + c);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &single), PADIC_OK);
            for (int i = 0; i < N; i++) {
                CHECK(planes[c][i] == one[i]);
                CHECK(points[i][c] == one[i]);
                CHECK(wide[i][2 * c] == one[i] && wide[i][2 * c + 1] == untouched);
            }
        }
        desc.scrambling.keys.shape[0] -= 1;
        if (mode) CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_ERROR_CAPACITY);
    }
}

// All 1,024 dimensions at once, over more than one chunk of points.
TEST(many_dimensions)
{
    enum { N = 3 };
    static uint32_t all[1024][N], row[10000];
    padic_sample_halton_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_U32, all, 1024, N);
    desc.first = 2345678;
    CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
    for (uint32_t c = 0; c < 1024; c++)
        for (int i = 0; i < N; i++) {
            uint64_t period;
            const uint32_t base = padic_sample_prime(c);
            oracle_levels(base, 0, &period);
            const uint64_t r = oracle_reverse(base, 0, NONE, NULL, 2345678 + (uint64_t)i, NULL);
            CHECK_EQ(all[c][i], oracle_cut(r, period, 32));
        }
    desc.out = padic_tensor_2d(PADIC_U32, row, 5, 2000);
    desc.first = 0;
    CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
    desc.out = padic_tensor_2d(PADIC_U32, row, 1, 10000);
    desc.dimension = 3;
    CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < 10000; i++) {
        const uint64_t r = oracle_reverse(7, 0, NONE, NULL, i, NULL);
        CHECK_EQ(row[i], oracle_cut(r, 1977326743, 32));
    }
}

TEST(halton_points) // the short way is the desc's
{
    float one[7][3], other[7][3];
    padic_sample_halton_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(PADIC_F32, other, 7, 3);
    desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    desc.first = 5;
    CHECK_EQ(padic_sample_halton_points(&one[0][0], 7, 3, 5), PADIC_OK);
    CHECK_EQ(padic_sample_halton(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(one, other, sizeof one));
    CHECK(one[0][0] == 0.625f); // 5 = 101 in base 2: .101
    CHECK_EQ(padic_sample_halton_points(NULL, 7, 3, 5), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_halton_points(&one[0][0], 1, 1025, 0), PADIC_ERROR_LIMIT);
}

TEST(hammersley)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 64, 1000, 4294967295u, 4294967296ull,
                                     4294967297ull, 1ull << 63, UINT64_MAX};
    uint64_t x[3][8], h[2][8], index[8];
    for (int trial = 0; trial < 11; trial++) {
        const uint64_t n = sizes[trial], count = n < 8 ? n : 8;
        padic_sample_hammersley_desc desc = PADIC_ZERO;
        desc.out = padic_tensor_2d(PADIC_U64, x, 3, count);
        desc.out.stride[0] = 8;
        desc.out.stride[1] = 1;
        desc.digits = PADIC_SAMPLE_DIGITS_LONG;
        desc.n = n;
        desc.first = n - count;
        const int fits = n - 1 <= period_minus(3, 1);
        CHECK_EQ(padic_sample_hammersley(NULL, &desc), fits ? PADIC_OK : PADIC_ERROR_LIMIT);
        for (uint64_t i = 0; i < count && fits; i++)
            CHECK_EQ(x[0][i], oracle_cut(n - count + i, n, 64));
        padic_sample_halton_desc halton = PADIC_ZERO;
        halton.out = padic_tensor_2d(PADIC_U64, h, 2, count);
        halton.out.stride[0] = 8;
        halton.out.stride[1] = 1;
        halton.digits = PADIC_SAMPLE_DIGITS_LONG;
        halton.first = n - count;
        if (fits) {
            CHECK_EQ(padic_sample_halton(NULL, &halton), PADIC_OK);
            for (uint64_t i = 0; i < count; i++)
                CHECK(h[0][i] == x[1][i] && h[1][i] == x[2][i]);
        }
        if (n != UINT64_MAX) {
            desc.first++;
            CHECK_EQ(padic_sample_hammersley(NULL, &desc), PADIC_ERROR_LIMIT);
        }
        desc.out.shape[0] = 1; // only i / n
        desc.first = 0;
        CHECK_EQ(padic_sample_hammersley(NULL, &desc), PADIC_OK);
        CHECK_EQ(x[0][count - 1], oracle_cut(count - 1, n, 64));
    }
    // An index beyond n: that point is 0 in every coordinate.
    padic_sample_hammersley_desc desc = PADIC_ZERO;
    desc.n = 10;
    desc.out = padic_tensor_2d(PADIC_U64, x, 3, 4);
    desc.out.stride[0] = 8;
    desc.out.stride[1] = 1;
    index[0] = 9, index[1] = 10, index[2] = UINT64_MAX, index[3] = 5;
    desc.index = padic_tensor_1d(PADIC_U64, index, 4);
    CHECK_EQ(padic_sample_hammersley(NULL, &desc), PADIC_ERROR_LIMIT);
    for (int c = 0; c < 3; c++) {
        CHECK(x[c][0] && x[c][3]);
        CHECK_EQ(x[c][1] | x[c][2], 0);
    }
    CHECK_EQ(x[0][3], 1ull << 63);
    // Keys are Halton's, from dimension 0 on; with coordinate 0 left out, from dimension - 1.
    uint64_t keys[64], some[8];
    padic_sample_keys_desc init = PADIC_ZERO;
    init.dimension = 2;
    REQUIRE(sample_keys(&init, keys, sizeof keys) == PADIC_OK);
    desc.index.dtype = PADIC_DTYPE_NONE;
    desc.index.data = NULL;
    desc.out = padic_tensor_2d(PADIC_U64, x, 1, 8);
    desc.dimension = 3;
    desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
    desc.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, 13);
    CHECK_EQ(padic_sample_hammersley(NULL, &desc), PADIC_OK);
    padic_sample_radical_inverse_desc single = inverse_of(5, 0, PADIC_U64, some, 8);
    single.scrambling = desc.scrambling;
    CHECK_EQ(padic_sample_radical_inverse(NULL, &single), PADIC_OK);
    CHECK(!memcmp(some, x, sizeof some));
}

TEST(halton_index)
{
    uint64_t index;
    padic_sample_halton_index_desc desc = PADIC_ZERO;
    for (uint32_t a = 0; a < 5; a++)
        for (uint32_t c = 0; c < 4; c++) { // brute force: walk the sequence, count each cell
            static uint32_t found[16 * 27];
            uint64_t columns = 1u << a, rows = 1, i;
            for (uint32_t k = 0; k < c; k++) rows *= 3;
            memset(found, 0, sizeof found);
            for (i = 0; i < 3 * columns * rows; i++) {
                const uint64_t x = oracle_reverse(2, 0, NONE, NULL, i, NULL);
                const uint64_t y = oracle_reverse(3, 0, NONE, NULL, i, NULL);
                desc.exponent2 = a;
                desc.exponent3 = c;
                desc.x = x * columns >> 32;
                desc.y = y / (3486784401u / rows);
                desc.s = found[desc.x * rows + desc.y]++;
                CHECK_EQ(sample_halton_index(&desc, &index), PADIC_OK);
                CHECK_EQ(index, i);
            }
        }
    for (int trial = 0; trial < 500; trial++) { // any grid below 2^64, by the residues
        uint64_t columns, rows = 1, low = 0, rest;
        do {
            desc.exponent2 = (uint32_t)(test_random() % 64);
            desc.exponent3 = (uint32_t)(test_random() % 41);
            columns = 1ull << desc.exponent2;
            rows = 1;
            for (uint32_t k = 0; k < desc.exponent3; k++) rows *= 3;
        } while (oracle_high(columns, rows));
        desc.x = test_random() % columns;
        desc.y = test_random() % rows;
        desc.s = 0;
        REQUIRE(sample_halton_index(&desc, &index) == PADIC_OK);
        CHECK(index < columns * rows);
        rest = index;
        for (uint32_t k = 0; k < desc.exponent2; k++, rest /= 2) low = low * 2 + rest % 2;
        CHECK_EQ(low, desc.x);
        rest = index;
        low = 0;
        for (uint32_t k = 0; k < desc.exponent3; k++, rest /= 3) low = low * 3 + rest % 3;
        CHECK_EQ(low, desc.y);
        const uint64_t first = index;
        desc.s = (UINT64_MAX - first) / (columns * rows);
        CHECK_EQ(sample_halton_index(&desc, &index), PADIC_OK);
        CHECK_EQ(index, first + desc.s * columns * rows);
        if (desc.s < UINT64_MAX) {
            desc.s++;
            CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_LIMIT);
            CHECK_EQ(index, 0);
        }
    }
    desc.exponent2 = 3;
    desc.exponent3 = 2;
    desc.x = 8;
    desc.y = desc.s = 0;
    CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_ARGUMENT);
    desc.x = 0;
    desc.y = 9;
    CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_ARGUMENT);
    desc.y = 0;
    desc.exponent2 = 64;
    CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_LIMIT);
    desc.exponent2 = 3;
    desc.exponent3 = 41;
    CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_LIMIT);
    desc.exponent3 = 39;
    CHECK_EQ(sample_halton_index(&desc, &index), PADIC_ERROR_LIMIT);
    CHECK_EQ(sample_halton_index(NULL, &index), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sample_halton_index(&desc, NULL), PADIC_ERROR_ARGUMENT);
}

// The same values for any split of a range, from indices of either width, and in place.
TEST(splits)
{
    enum { N = 3000 };
    static uint32_t whole[N], parts[N], narrow[N];
    static uint64_t broad[N];
    for (int trial = 0; trial < BASES * 3; trial++) {
        const uint32_t b = bases[trial / 3];
        const int mode = trial % 3;
        const uint64_t first = 60000 < period_minus(b, 0) - N ? 60000 : period_minus(b, 0) - N;
        const uint64_t n = mode && !oracle_prime(b) ? 300 : N;
        if (!can_scramble(b, mode)) continue;
        padic_sample_radical_inverse_desc desc = inverse_of(b, 0, PADIC_U32, whole, n);
        desc.first = first;
        desc.scrambling = scrambling_of(b, 0, mode, 1, 1);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        for (uint64_t at = 0, step; at < n; at += step) {
            step = test_random() % 700;
            if (step > n - at) step = n - at;
            desc.out = padic_tensor_1d(PADIC_U32, parts + at, step);
            desc.first = first + at;
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        }
        CHECK(!memcmp(whole, parts, (size_t)n * 4));
        for (uint64_t i = 0; i < n; i++) {
            narrow[i] = (uint32_t)(first + i);
            broad[i] = first + i;
        }
        memset(parts, 0, sizeof parts);
        desc.out = padic_tensor_1d(PADIC_U32, parts, n);
        desc.index = padic_tensor_1d(PADIC_U64, broad, n);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        CHECK(!memcmp(whole, parts, (size_t)n * 4));
        desc.out = desc.index = padic_tensor_1d(PADIC_U32, narrow, n);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        CHECK(!memcmp(whole, narrow, (size_t)n * 4));
    }
}

// Floats stay below 1 and on their grid, also where R / b^D is closest to 1.
TEST(grid)
{
    for (uint32_t b = 2; b <= 65537; b += b < 300 ? 1 : 977)
        for (int is_long = 0; is_long < 2; is_long++) {
            const uint64_t last = period_minus(b, is_long);
            float single = 2;
            double twice = 2;
            uint64_t word = 0;
            padic_sample_radical_inverse_desc desc =
                inverse_of(b, is_long, PADIC_F32, &single, 1);
            desc.first = last;
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
            desc.out = padic_tensor_1d(PADIC_F64, &twice, 1);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
            desc.out = padic_tensor_1d(PADIC_U64, &word, 1);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
            CHECK(single < 1.0f && twice < 1.0);
            CHECK_EQ(word, oracle_cut(last, last + 1, 64));
            const double at = (double)single * 16777216.0, also = twice * 9007199254740992.0;
            CHECK(at == (double)(uint32_t)at && also == (double)(uint64_t)also);
            CHECK_EQ((uint64_t)at, word >> 40);
            CHECK_EQ((uint64_t)also, word >> 11);
        }
}

// Pearson's sum for `cells` equal shares of n.
static double chi_square(const uint32_t *count, uint32_t cells, double n)
{
    double sum = 0, expected = n / cells;
    for (uint32_t i = 0; i < cells; i++) {
        const double d = (double)count[i] - expected;
        sum += d * d / expected;
    }
    return sum;
}

// Over seeds: each point is uniform; two points, or two dimensions, are independent but for the
// structure: digit 0 of points 0 and 1 takes each pair of different digits equally often.
TEST(uniform)
{
    const uint32_t seeds = test_tiny ? 600 : 6000;
    for (int trial = 0; trial < 8; trial++) {
        const uint32_t b = trial < 4 ? 3 : 5;
        const int is_long = trial % 2, mode = trial % 4 < 2 ? OWEN : FULL;
        uint32_t one[16] = {0}, two[64] = {0}, pair[25] = {0}, different[20], n = 0;
        for (uint32_t seed = 0; seed < seeds; seed++) {
            float x[2], y;
            padic_sample_radical_inverse_desc desc = inverse_of(b, is_long, PADIC_F32, x, 2);
            desc.scrambling = scrambling_of(b, is_long, mode, seed, 0);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
            desc.out = padic_tensor_1d(PADIC_F32, &y, 1);
            desc.scrambling = scrambling_of(b, is_long, mode, seed, 1);
            CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
            one[(int)(x[0] * 16)]++;
            two[(int)(x[0] * 8) * 8 + (int)(y * 8)]++;
            pair[(uint32_t)(x[0] * (float)b) * b + (uint32_t)(x[1] * (float)b)]++;
        }
        for (uint32_t d = 0; d < b; d++)
            for (uint32_t e = 0; e < b; e++) {
                if (d != e) different[n++] = pair[d * b + e];
                else CHECK_EQ(pair[d * b + e], 0);
            }
        CHECK(chi_square(one, 16, seeds) < 45);         // 15 degrees of freedom: p = 8e-5
        CHECK(chi_square(two, 64, seeds) < 115);        // 63: p = 7e-5
        CHECK(chi_square(different, n, seeds) < (b == 3 ? 27 : 50)); // 5: 6e-5; 19: 1e-4
        CHECK(chi_square(one, 16, seeds) > 1.5);        // nor too even
    }
}

// The mean over points of a scrambled sequence has far less error than random points have.
TEST(integral)
{
    static float x[3][2187];
    uint64_t keys[64 * 3];
    double worst = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        double sum = 0;
        padic_sample_keys_desc init = PADIC_ZERO;
        init.seed = seed;
        init.dimensions = 3;
        REQUIRE(sample_keys(&init, keys, sizeof keys) == PADIC_OK);
        padic_sample_halton_desc desc = PADIC_ZERO;
        desc.out = padic_tensor_2d(PADIC_F32, x, 3, 2187);
        desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
        desc.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
        REQUIRE(padic_sample_halton(NULL, &desc) == PADIC_OK);
        for (int i = 0; i < 2187; i++) sum += (double)x[0][i] * x[1][i] * x[2][i];
        const double error = sum / 2187 - 0.125;
        if (error * error > worst) worst = error * error;
    }
    CHECK(worst < 4e-6); // random points: variance 0.0214 / 2187 = 9.8e-6 each, worst of 20 4e-5
}

TEST(laine_karras)
{
    CHECK_EQ(padic_sample_laine_karras(0, 0), 0);
    CHECK_EQ(padic_sample_laine_karras(1, 0), 0x3707b665);
    CHECK_EQ(padic_sample_laine_karras(1, 1), 0x6e0f6cca);
    CHECK_EQ(padic_sample_laine_karras(0xdeadbeefu, 0x12345678), 0x023fba03);
    CHECK_EQ(padic_sample_laine_karras(UINT32_MAX, UINT32_MAX), 0xcfcba176u);
    for (int i = 0; i < 20000; i++) { // low bits that agree still do, the next one differs
        const uint32_t x = (uint32_t)test_random(), seed = (uint32_t)test_random();
        const uint32_t k = (uint32_t)(test_random() % 32);
        const uint32_t y = x ^ ((uint32_t)test_random() << k & ~(1u << k)) ^ (1u << k);
        const uint32_t d =
            padic_sample_laine_karras(x, seed) ^ padic_sample_laine_karras(y, seed);
        CHECK_EQ(d & ((2u << k) - 1u), 1u << k);
    }
}

TEST(indices_too_large)
{
    uint64_t index[70], r[70];
    for (int trial = 0; trial < BASES * 8; trial++) {
        const uint32_t b = bases[trial / 8];
        const int is_long = trial % 8 / 4, mode = trial % 4;
        const uint64_t last = period_minus(b, is_long), n = mode == FULL ? 5 : 70;
        if (!can_scramble(b, mode)) continue;
        padic_sample_radical_inverse_desc desc = inverse_of(b, is_long, PADIC_U64, r, n);
        desc.scrambling = scrambling_of(b, is_long, mode, 6, 6);
        desc.reversed = 1;
        desc.first = last - 3; // the range goes too far: nothing is written
        memset(r, 0x33, sizeof r);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_ERROR_LIMIT);
        for (int i = 0; i < 70; i++) CHECK_EQ(r[i], UINT64_C(0x3333333333333333));
        desc.out.shape[0] = 4;
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
        desc.out.shape[0] = n;
        if (last == UINT64_MAX) continue;
        for (uint64_t i = 0; i < n; i++) index[i] = i % 3 ? i : last + 1 + i;
        desc.index = padic_tensor_1d(PADIC_U64, index, n);
        CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_ERROR_LIMIT);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t right = oracle_reverse(b, is_long, mode, keys_of, index[i], NULL);
            CHECK_EQ(r[i], i % 3 ? right : 0);
        }
        padic_sample_radical_index_desc undo = PADIC_ZERO;
        undo.reversals = desc.index;
        undo.out = desc.out;
        undo.base = b;
        undo.digits = (padic_sample_digits)is_long;
        CHECK_EQ(padic_sample_radical_index(NULL, &undo), PADIC_ERROR_LIMIT);
        CHECK_EQ(r[0], 0);
        padic_sample_scramble_desc map = PADIC_ZERO;
        map.reversals = desc.index;
        map.out = desc.out;
        map.base = b;
        map.digits = (padic_sample_digits)is_long;
        map.scrambling = desc.scrambling;
        CHECK_EQ(padic_sample_scramble(NULL, &map), PADIC_ERROR_LIMIT);
        CHECK_EQ(r[0] | r[3], 0);
        CHECK_EQ(sample_unscramble(NULL, &map), PADIC_ERROR_LIMIT);
        CHECK_EQ(r[0] | r[3], 0);
    }
    // Points: only the coordinates whose base cannot count so far are 0.
    uint32_t x[2][2];
    padic_sample_halton_desc points = PADIC_ZERO;
    points.out = padic_tensor_2d(PADIC_U32, x, 2, 2);
    index[0] = UINT32_MAX; // below 2^32, above 3^20
    index[1] = 1;
    points.index = padic_tensor_1d(PADIC_U64, index, 2);
    CHECK_EQ(padic_sample_halton(NULL, &points), PADIC_ERROR_LIMIT);
    CHECK_EQ(x[0][0], UINT32_MAX);
    CHECK_EQ(x[1][0], 0);
    CHECK_EQ(x[1][1], 1431655765);
}

TEST(arguments)
{
    uint64_t out[8] = {0}, index[8] = {0}, keys[64] = {0};
    uint32_t words[16];
    padic_buffer buffer = PADIC_ZERO;
    padic_sample_radical_inverse_desc good = inverse_of(3, 0, PADIC_U64, out, 8), desc;
    CHECK_EQ(padic_sample_radical_inverse(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_radical_index(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_scramble(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(sample_unscramble(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_shuffle_index(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_halton(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_sample_hammersley(NULL, NULL), PADIC_ERROR_ARGUMENT);
    padic_sample_scramble_desc twice = PADIC_ZERO;
    twice.reversals = padic_tensor_1d(PADIC_U64, index, 8);
    twice.out = padic_tensor_1d(PADIC_U64, out, 8);
    twice.base = 3;
    twice.digits = PADIC_SAMPLE_DIGITS_LONG;
    twice.inverse = 1;
    CHECK_EQ(padic_sample_scramble(NULL, &twice), PADIC_OK);
    twice.inverse = 2;
    CHECK_EQ(padic_sample_scramble(NULL, &twice), PADIC_ERROR_ARGUMENT);
#define REFUSED(change, code) \
    desc = good; \
    change; \
    CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), code)
    REFUSED(desc.reversed = 2, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.base = 3, PADIC_OK);
    REFUSED(desc.out.shape[0] = 0, PADIC_OK);
    REFUSED((desc.out.shape[0] = 0, desc.out.data = NULL), PADIC_OK);
    REFUSED(desc.base = 0, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.base = 1, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.base = 65538, PADIC_ERROR_LIMIT);
    REFUSED(set_enum(&desc.digits, 2), PADIC_ERROR_ARGUMENT);
    REFUSED(set_enum(&desc.scrambling.mode, 4), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN, PADIC_ERROR_ARGUMENT); // no keys
    good.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, 20);
    REFUSED(desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN, PADIC_OK);
    good.scrambling.keys.shape[0]--;
    REFUSED(desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN, PADIC_ERROR_CAPACITY);
    good.scrambling.keys.shape[0] = sizeof keys / 8;
    good.scrambling.mode = PADIC_SAMPLE_MODE_OWEN_FULL;
    REFUSED(desc.base = 1021, PADIC_OK);
    REFUSED(desc.base = 1031, PADIC_ERROR_LIMIT);
    good.scrambling.mode = PADIC_SAMPLE_MODE_PERMUTE;
    REFUSED(desc.base = 1031, PADIC_OK);
    REFUSED(desc.base = 1022, PADIC_ERROR_LIMIT);
    REFUSED(desc.base = 65536, PADIC_ERROR_LIMIT);
    good.scrambling.mode = PADIC_SAMPLE_MODE_NONE;
    REFUSED(desc.base = 65536, PADIC_OK);
    REFUSED(desc.out.data = NULL, PADIC_ERROR_ARGUMENT);
    buffer.id = 1;
    REFUSED((desc.out.data = NULL, desc.out.buffer = buffer), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.out.dtype = PADIC_F16, PADIC_ERROR_DTYPE);
    REFUSED(desc.out.dtype = PADIC_DTYPE_NONE, PADIC_ERROR_DTYPE);
    REFUSED(set_enum(&desc.out.dtype, 99), PADIC_ERROR_DTYPE);
    REFUSED(desc.out.rank = 9, PADIC_ERROR_LIMIT);
    REFUSED(desc.out = padic_tensor_2d(PADIC_U64, out, 2, 4), PADIC_ERROR_MISMATCH);
    REFUSED(desc.out.stride[0] = -1, PADIC_ERROR_ARGUMENT);
    REFUSED((desc.reversed = 1, desc.out.dtype = PADIC_F64), PADIC_ERROR_DTYPE);
    REFUSED((desc.reversed = 1, desc.digits = PADIC_SAMPLE_DIGITS_LONG, desc.out.dtype = PADIC_U32),
            PADIC_ERROR_DTYPE);
    REFUSED(desc.index = padic_tensor_1d(PADIC_U64, index, 7), PADIC_ERROR_MISMATCH);
    REFUSED(desc.index = padic_tensor_2d(PADIC_U64, index, 2, 4), PADIC_ERROR_MISMATCH);
    REFUSED(desc.index = padic_tensor_1d(PADIC_I64, index, 8), PADIC_ERROR_DTYPE);
    REFUSED(desc.index = padic_tensor_1d(PADIC_U64, NULL, 8), PADIC_ERROR_ARGUMENT);
    memset(out, 0, sizeof out);
    REFUSED(desc.index = padic_tensor_1d(PADIC_U64, out, 8), PADIC_OK);
    REFUSED((desc.out.shape[0] = 7, desc.index = padic_tensor_1d(PADIC_U64, out + 1, 7)),
            PADIC_ERROR_OVERLAP);
    REFUSED((desc.out = padic_tensor_1d(PADIC_U32, words, 8),
             desc.index = padic_tensor_1d(PADIC_U64, words, 8)),
            PADIC_ERROR_OVERLAP);
#undef REFUSED
    // Rank 0 is one element.
    desc = good;
    desc.out.rank = 0;
    desc.first = 1;
    CHECK_EQ(padic_sample_radical_inverse(NULL, &desc), PADIC_OK);
    CHECK_EQ(out[0], UINT64_MAX / 3);

    padic_sample_shuffle_index_desc shuffle = PADIC_ZERO;
    shuffle.out = padic_tensor_1d(PADIC_U64, out, 8);
    shuffle.base = 3;
    shuffle.levels = 20;
    CHECK_EQ(padic_sample_shuffle_index(NULL, &shuffle), PADIC_OK);
    for (uint64_t i = 0; i < 8; i++) CHECK_EQ(out[i], i);
    shuffle.levels = 21;
    CHECK_EQ(padic_sample_shuffle_index(NULL, &shuffle), PADIC_ERROR_LIMIT);

    padic_sample_radical_index_desc undo = PADIC_ZERO; // its input is not optional
    undo.out = padic_tensor_1d(PADIC_U64, out, 8);
    undo.base = 3;
    CHECK_EQ(padic_sample_radical_index(NULL, &undo), PADIC_ERROR_DTYPE);

    padic_sample_hammersley_desc points = PADIC_ZERO;
    points.out = padic_tensor_2d(PADIC_U64, out, 2, 4);
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_ARGUMENT); // n 0
    points.n = 4;
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_OK);
    points.dimension = 1022;
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_OK);
    points.dimension = 1023;
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_LIMIT);
    points.dimension = 1024;
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_LIMIT);
    points.dimension = 0;
    set_enum(&points.layout, 2);
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_ARGUMENT);
    points.layout = PADIC_SAMPLE_LAYOUT_PLANES;
    points.out = padic_tensor_1d(PADIC_U64, out, 8);
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_MISMATCH);
    points.out = padic_tensor_2d(PADIC_U64, out, 2, 4);
    points.index = padic_tensor_1d(PADIC_U64, out, 4); // two coordinates would read it twice
    CHECK_EQ(padic_sample_hammersley(NULL, &points), PADIC_ERROR_OVERLAP);
    padic_sample_halton_desc full = PADIC_ZERO;
    full.out = padic_tensor_2d(PADIC_U64, out, 1, 2);
    full.scrambling.mode = PADIC_SAMPLE_MODE_OWEN_FULL;
    full.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
    full.dimension = 171; // 1,021
    CHECK_EQ(padic_sample_halton(NULL, &full), PADIC_OK);
    full.dimension = 172;
    CHECK_EQ(padic_sample_halton(NULL, &full), PADIC_ERROR_LIMIT);
}

// Keys are read all the while: what is written lies apart from all of them.
TEST(out_over_keys)
{
    enum { POINTS = 300, KEYS = 64 };
    static uint64_t room[POINTS + 2 * KEYS], was[POINTS + 2 * KEYS], index[POINTS];
    for (uint32_t i = 0; i < POINTS + 2 * KEYS; i++) was[i] = UINT64_C(0x9e3779b97f4a7c15) * i;
    for (int at = 0; at < 4; at++) { // out begins at the keys, ends in them, lies before and after
        uint64_t *const out = room + (at == 3 ? 2 * KEYS : at == 0 ? KEYS : 0);
        uint64_t *const keys = room + (at == 1 ? POINTS - 1 : at == 2 ? POINTS : KEYS);
        for (int none = 0; none < 2; none++) {
            padic_sample_scrambling scrambling = PADIC_ZERO;
            padic_sample_radical_inverse_desc inverse = PADIC_ZERO;
            padic_sample_scramble_desc scramble = PADIC_ZERO;
            padic_sample_shuffle_index_desc shuffle = PADIC_ZERO;
            padic_sample_halton_desc halton = PADIC_ZERO;
            padic_sample_hammersley_desc hammersley = PADIC_ZERO;
            const padic_result want = at < 2 && !none ? PADIC_ERROR_OVERLAP : PADIC_OK;
            scrambling.mode = none ? PADIC_SAMPLE_MODE_NONE : PADIC_SAMPLE_MODE_OWEN;
            scrambling.keys = padic_tensor_1d(PADIC_U64, keys, KEYS);
            inverse.base = scramble.base = shuffle.base = 2;
            inverse.digits = scramble.digits = shuffle.digits = PADIC_SAMPLE_DIGITS_LONG;
            halton.digits = hammersley.digits = PADIC_SAMPLE_DIGITS_LONG;
            inverse.scrambling = scramble.scrambling = shuffle.scrambling = scrambling;
            halton.scrambling = hammersley.scrambling = scrambling;
            inverse.out = scramble.out = shuffle.out = padic_tensor_1d(PADIC_U64, out, POINTS);
            scramble.reversals = padic_tensor_1d(PADIC_U64, index, POINTS);
            halton.out = padic_tensor_2d(PADIC_U64, out, 1, POINTS);
            hammersley.out = padic_tensor_2d(PADIC_U64, out, 2, POINTS / 2);
            hammersley.n = POINTS / 2;
            for (int call = 0; call < 5; call++) {
                memcpy(room, was, sizeof room);
                const padic_result result =
                    call == 0   ? padic_sample_radical_inverse(NULL, &inverse)
                    : call == 1 ? padic_sample_scramble(NULL, &scramble)
                    : call == 2 ? padic_sample_shuffle_index(NULL, &shuffle)
                    : call == 3 ? padic_sample_halton(NULL, &halton)
                                : padic_sample_hammersley(NULL, &hammersley);
                CHECK_EQ(result, want);
                if (want) CHECK(!memcmp(room, was, sizeof room));
            }
        }
    }
}

TEST_MAIN("sample", CASE(primes), CASE(levels), CASE(first_halton_points), CASE(scrambled_goldens),
          CASE(oracle), CASE(small_bases), CASE(cells), CASE(isometry), CASE(inverses), CASE(nodes),
          CASE(keys), CASE(halton), CASE(many_dimensions), CASE(halton_points),
          CASE(hammersley), CASE(halton_index),
          CASE(splits), CASE(grid), CASE(uniform), CASE(integral), CASE(laine_karras),
          CASE(indices_too_large), CASE(arguments), CASE(out_over_keys))
