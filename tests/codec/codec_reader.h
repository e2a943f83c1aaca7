// codec_reader.h: a second reader of the container, written from its description (FORMAT.md) and
// apart from the library: no table look-ups, no fast paths, one bit at a time. test_codec_golden.c
// decodes the stored streams with it, so that the description, the library and the files agree.
//
// It reads streams that are whole and right; anything else sets `bad`.
#ifndef PADIC_CODEC_READER_H
#define PADIC_CODEC_READER_H

typedef struct rd_input {
    const uint8_t *bytes;
    size_t at, end;
    int bad;
} rd_input;

static uint64_t rd_get(rd_input *in, size_t size) // little-endian
{
    uint64_t value = 0;
    if (in->bad || in->end - in->at < size) {
        in->bad = 1;
        return 0;
    }
    for (size_t k = 0; k < size; k++) value |= (uint64_t)in->bytes[in->at + k] << (8 * k);
    in->at += size;
    return value;
}

static rd_input rd_part(rd_input *in, size_t size)
{
    rd_input part = {in->bytes, in->at, in->at + size, 0};
    if (in->bad || in->end - in->at < size)
        in->bad = part.bad = 1;
    else
        in->at += size;
    return part;
}

static uint32_t rd_bit(rd_input *in, uint64_t *bit) // lowest bit of a byte first
{
    const size_t byte = in->at + (size_t)(*bit / 8);
    if (in->bad || byte >= in->end) {
        in->bad = 1;
        return 0;
    }
    return (uint32_t)(in->bytes[byte] >> (*bit)++ % 8 & 1);
}

static uint64_t rd_bits(rd_input *in, uint64_t *bit, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t k = 0; k < count; k++) value |= (uint64_t)rd_bit(in, bit) << k;
    return value;
}

// A bit string ends here: less than a byte is left, all zeros.
static void rd_filled(rd_input *in, uint64_t bit)
{
    if (in->bad || (bit + 7) / 8 != in->end - in->at) in->bad = 1;
    while (!in->bad && bit % 8)
        if (rd_bit(in, &bit)) in->bad = 1;
}

// ---------------------------------------------------------------------------------------- coders

static uint8_t *rd_stream(rd_input *in, size_t n);
static uint64_t *rd_classes(rd_input *in, size_t n);

static void rd_huffman(rd_input *in, uint8_t *out, size_t n)
{
    uint32_t lengths[256];
    memset(lengths, 0, sizeof lengths);
    const uint32_t last = (uint32_t)rd_get(in, 1);
    rd_input nibbles = {in->bytes, in->at, in->end, in->bad};
    uint64_t bit = 0;
    for (uint32_t s = 0; s <= last && !nibbles.bad;) {
        const uint32_t length = (uint32_t)rd_bits(&nibbles, &bit, 4);
        if (length)
            lengths[s++] = length;
        else
            s += (uint32_t)rd_bits(&nibbles, &bit, 4) + 1;
    }
    rd_part(in, (size_t)((bit + 7) / 8));
    const uint32_t lanes = n < 1024 ? 1 : 8;
    rd_input lane[8];
    uint64_t size[8], at[8];
    for (uint32_t l = 0; l < lanes; l++) size[l] = rd_get(in, 4), at[l] = 0;
    for (uint32_t l = 0; l < lanes; l++) lane[l] = rd_part(in, (size_t)size[l]);
    for (size_t i = 0; i < n; i++) {
        // Canonical: codes of one length are consecutive, the first follows from the shorter ones.
        uint32_t code = 0, first = 0, length = 0, symbol = 256;
        while (symbol == 256 && length < 15 && !lane[i % lanes].bad) {
            code = code << 1 | rd_bit(&lane[i % lanes], &at[i % lanes]);
            first <<= 1;
            length++;
            for (uint32_t s = 0; s < 256; s++) {
                if (lengths[s] != length) continue;
                if (code == first) symbol = s;
                first++;
            }
        }
        if (symbol == 256) in->bad = 1;
        out[i] = (uint8_t)symbol;
    }
    for (uint32_t l = 0; l < lanes; l++) {
        rd_filled(&lane[l], at[l]);
        in->bad |= lane[l].bad;
    }
}

// freq[256], then start[256].
static void rd_frequencies(rd_input *in, uint32_t *freq)
{
    uint32_t sum = 0;
    memset(freq, 0, 256 * sizeof *freq);
    const uint32_t last = (uint32_t)rd_get(in, 1);
    for (uint32_t s = 0; s <= last && !in->bad;) {
        uint32_t f = (uint32_t)rd_get(in, 1);
        if (f >= 128)
            f = (f - 128) + 128 * (uint32_t)rd_get(in, 1);
        else if (f == 0) {
            s += (uint32_t)rd_get(in, 1) + 1;
            continue;
        }
        freq[s++] = f;
    }
    for (uint32_t s = 0; s < 256; s++) freq[256 + s] = sum, sum += freq[s];
    if (sum != 4096) in->bad = 1;
}

// One symbol of a state.
static uint8_t rd_symbol(const uint32_t *freq, uint32_t *x, rd_input *word)
{
    const uint32_t *start = freq + 256;
    uint32_t s = 0;
    while (s < 255 && (*x % 4096 < start[s] || *x % 4096 >= start[s] + freq[s])) s++;
    *x = freq[s] * (*x / 4096) + *x % 4096 - start[s];
    if (*x < 65536) *x = *x << 16 | (uint32_t)rd_get(word, 2);
    return (uint8_t)s;
}

static void rd_rans(rd_input *in, uint8_t *out, size_t n)
{
    uint32_t freq[512], state[32];
    rd_frequencies(in, freq);
    const size_t words = (size_t)rd_get(in, 4);
    for (int l = 0; l < 32; l++) state[l] = (uint32_t)rd_get(in, 4);
    rd_input word = rd_part(in, 2 * words);
    for (size_t i = 0; i < n && !in->bad; i++) {
        out[i] = rd_symbol(freq, &state[i % 32], &word);
        in->bad |= word.bad;
    }
    for (int l = 0; l < 32; l++) in->bad |= state[l] != 65536;
    in->bad |= word.at != word.end;
}

// Stretches side by side; known[i] says whether byte i was decoded.
static void rd_contexts(rd_input *in, uint8_t *out, size_t n)
{
    uint32_t *tables = (uint32_t *)cc_new(16 * 512 * sizeof *tables), state[32], from[16];
    uint8_t *known = (uint8_t *)cc_new(n + 1);
    const uint32_t count = (uint32_t)rd_get(in, 1) + 1;
    const size_t a = (size_t)rd_get(in, 4), b = (size_t)rd_get(in, 4);
    const size_t length = (size_t)rd_get(in, 4);
    memset(known, 0, n + 1);
    from[0] = 0;
    if (count > 16 || !length || length > 2097152 || n > 32 * length) in->bad = 1;
    if (!a && (!b || b > 256 || (length && length % b))) in->bad = 1;
    for (uint32_t k = 1; k < count && !in->bad; k++) from[k] = (uint32_t)rd_get(in, 2);
    for (uint32_t k = 0; k < count && !in->bad; k++) rd_frequencies(in, tables + 512 * k);
    const size_t words = (size_t)rd_get(in, 4);
    for (int l = 0; l < 32; l++) state[l] = (uint32_t)rd_get(in, 4);
    rd_input word = rd_part(in, 2 * words);
    for (size_t j = 0; j < length && j < n && !in->bad; j++) {
        for (size_t lane = 0; lane * length + j < n && !in->bad; lane++) {
            const size_t i = lane * length + j, far[2] = {a, b};
            size_t v = a ? 0 : i % length % b, k = count - 1;
            for (int t = 0; t < 2 && a; t++) {
                if (!far[t]) continue;
                const size_t at = far[t] <= i && known[i - far[t]] ? i - far[t] : i - (j > 0);
                v += known[at] ? out[at] : 0;
            }
            while (v < from[k]) k--;
            out[i] = rd_symbol(tables + 512 * k, &state[lane], &word);
            known[i] = 1;
            in->bad |= word.bad;
        }
    }
    for (int l = 0; l < 32; l++) in->bad |= state[l] != 65536;
    in->bad |= word.at != word.end;
    free(tables);
    free(known);
}

static void rd_sparse(rd_input *in, uint8_t *out, size_t n)
{
    const size_t nonzero = (size_t)rd_get(in, 4);
    const int gaps = rd_get(in, 1) == 1;
    memset(out, 0, n);
    if (in->bad || nonzero > n) {
        in->bad = 1;
        return;
    }
    uint64_t *gap = gaps ? rd_classes(in, nonzero) : NULL;
    rd_input map = {in->bytes, in->at, in->end, in->bad};
    if (!gaps) map = rd_part(in, (n + 7) / 8);
    uint8_t *values = rd_stream(in, nonzero);
    size_t at = 0, used = 0;
    uint64_t bit = 0;
    for (size_t i = 0; gaps && i < nonzero && !in->bad; i++) {
        at += (size_t)gap[i];
        if (at >= n)
            in->bad = 1;
        else
            out[at++] = values[i];
    }
    for (size_t i = 0; !gaps && i < n && !in->bad; i++) {
        if (!rd_bit(&map, &bit)) continue;
        if (used == nonzero)
            in->bad = 1;
        else
            out[i] = values[used++];
    }
    free(gap);
    free(values);
}

// Repeats of bytes: lists as those of pattern 4, then what is left.
static void rd_repeats(rd_input *in, uint8_t *out, size_t n)
{
    const size_t q = (size_t)rd_get(in, 4), m = (size_t)rd_get(in, 4);
    size_t at = 0, used = 0, last = 0, before = 0;
    if (q > n / 3 || m > n) in->bad = 1;
    if (in->bad) return;
    uint64_t *run = rd_classes(in, q), *length = rd_classes(in, q), *code = rd_classes(in, q);
    const size_t begin = in->at;
    if (rd_get(in, 1) == 5 || (begin < in->end && in->bytes[begin] == 7)) in->bad = 1;
    in->at = begin;
    uint8_t *rest = rd_stream(in, in->bad ? 0 : m);
    for (size_t i = 0; i <= q && !in->bad; i++) {
        const size_t literals = i < q ? (size_t)run[i] : m - used;
        if (literals > m - used || literals > n - at) in->bad = 1;
        for (size_t k = 0; k < literals && !in->bad; k++) out[at++] = rest[used++];
        if (i == q || in->bad) break;
        const size_t far = code[i] == 0 ? last : code[i] == 1 ? before : (size_t)code[i] - 1;
        if (code[i]) before = last, last = far;
        if (!far || far > at || length[i] >= n - at) in->bad = 1;
        for (uint64_t k = 0; k <= length[i] && !in->bad; k++, at++) out[at] = out[at - far];
    }
    in->bad |= at != n || used != m;
    free(run);
    free(length);
    free(code);
    free(rest);
}

static uint8_t *rd_stream(rd_input *in, size_t n)
{
    uint8_t *out = (uint8_t *)cc_new(n + 1);
    const uint32_t coder = (uint32_t)rd_get(in, 1);
    memset(out, 0, n + 1);
    switch (coder) {
    case 0:
        for (size_t i = 0; i < n; i++) out[i] = (uint8_t)rd_get(in, 1);
        break;
    case 1:
        memset(out, (int)rd_get(in, 1), n);
        break;
    case 2: {
        const uint32_t base = (uint32_t)rd_get(in, 1), width = (uint32_t)rd_get(in, 1);
        rd_input part = rd_part(in, (n * width + 7) / 8);
        uint64_t bit = 0;
        for (size_t i = 0; i < n; i++) out[i] = (uint8_t)(base + rd_bits(&part, &bit, width));
        rd_filled(&part, bit);
        in->bad |= part.bad;
        break;
    }
    case 3:
        rd_huffman(in, out, n);
        break;
    case 4:
        rd_rans(in, out, n);
        break;
    case 5:
        rd_sparse(in, out, n);
        break;
    case 6:
        rd_contexts(in, out, n);
        break;
    case 7:
        rd_repeats(in, out, n);
        break;
    default:
        in->bad = 1;
    }
    return out;
}

// ---------------------------------------------------------------------------------------- digits

static uint64_t *rd_words(size_t n)
{
    uint64_t *z = (uint64_t *)cc_new((n + 1) * sizeof *z);
    memset(z, 0, (n + 1) * sizeof *z);
    return z;
}

static uint64_t *rd_classes(rd_input *in, size_t n)
{
    uint64_t *z = rd_words(n), bit = 0;
    const uint32_t m = (uint32_t)rd_get(in, 1), widest = (uint32_t)rd_get(in, 1);
    uint8_t *tokens = rd_stream(in, n);
    rd_input plain = rd_part(in, (size_t)rd_get(in, 4));
    for (size_t i = 0; i < n && !in->bad; i++) {
        const uint32_t t = tokens[i];
        if (t < 2u << m) { // the value itself
            z[i] = t;
            continue;
        }
        const uint32_t extra = (t >> m) - 1;
        const uint64_t lead = (uint64_t)(1u << m | (t & ((1u << m) - 1)));
        if (extra + m > 63 || extra > widest)
            in->bad = 1;
        else
            z[i] = lead << extra | rd_bits(&plain, &bit, extra);
    }
    rd_filled(&plain, bit);
    in->bad |= plain.bad;
    free(tokens);
    return z;
}

static uint64_t *rd_planes(rd_input *in, size_t n, uint32_t bits)
{
    uint64_t *z = rd_words(n);
    const uint32_t planes = (uint32_t)rd_get(in, 1);
    if (planes * bits > 64) in->bad = 1;
    for (uint32_t k = 0; k < planes && !in->bad; k++) {
        uint8_t *digit = rd_stream(in, n);
        for (size_t i = 0; i < n; i++) z[i] |= (uint64_t)digit[i] << (k * bits);
        free(digit);
    }
    return z;
}

static uint64_t *rd_prime(rd_input *in, size_t n)
{
    uint64_t *z = rd_words(n), power = 1;
    const uint64_t p = rd_get(in, 4);
    const uint32_t planes = (uint32_t)rd_get(in, 1), bytes = p <= 256 ? 1 : p <= 65536 ? 2 : 3;
    for (uint32_t k = 0; k < planes && !in->bad; k++, power *= p) {
        for (uint32_t b = 0; b < bytes; b++) {
            uint8_t *part = rd_stream(in, n);
            for (size_t i = 0; i < n; i++) z[i] += ((uint64_t)part[i] << (8 * b)) * power;
            free(part);
        }
    }
    return z;
}

static uint64_t *rd_packed(rd_input *in, size_t n)
{
    uint64_t *z = rd_words(n), *gap = NULL, *high = NULL;
    const size_t groups = (n + 255) / 256;
    uint8_t *width = rd_stream(in, groups);
    const size_t exceptions = (size_t)rd_get(in, 4);
    if (exceptions > n) in->bad = 1;
    if (exceptions && !in->bad) gap = rd_classes(in, exceptions), high = rd_classes(in, exceptions);
    rd_input all = rd_part(in, (size_t)rd_get(in, 4));
    for (size_t g = 0; g < groups && !in->bad; g++) {
        const size_t from = g * 256, to = n < from + 256 ? n : from + 256;
        rd_input group = rd_part(&all, ((to - from) * width[g] + 7) / 8);
        uint64_t bit = 0;
        for (size_t i = from; i < to; i++) z[i] = rd_bits(&group, &bit, width[g]);
        in->bad |= group.bad;
    }
    in->bad |= all.at != all.end;
    size_t at = 0;
    for (size_t i = 0; i < exceptions && !in->bad; i++, at++) {
        at += (size_t)gap[i];
        if (at >= n || width[at / 256] > 63)
            in->bad = 1;
        else
            z[at] |= high[i] << width[at / 256];
    }
    free(gap);
    free(high);
    free(width);
    return z;
}

static uint64_t *rd_unit(rd_input *in, size_t n)
{
    uint8_t *valuation = rd_stream(in, n);
    uint64_t *z = rd_classes(in, n);
    for (size_t i = 0; i < n; i++) z[i] = valuation[i] > 63 ? 0 : (2 * z[i] + 1) << valuation[i];
    free(valuation);
    return z;
}

// A table and ranks in it; without a table the words.
static uint64_t *rd_table(rd_input *in, size_t n)
{
    const size_t used = (size_t)rd_get(in, 4);
    if (used > n) in->bad = 1;
    uint64_t *table = rd_classes(in, in->bad ? 0 : used), *z = rd_classes(in, n);
    for (size_t i = 0; i < n && used && !in->bad; i++) {
        if (z[i] >= used)
            in->bad = 1;
        else
            z[i] = table[z[i]];
    }
    free(table);
    return z;
}

static uint64_t *rd_digits(rd_input *in, uint32_t representations, size_t n)
{
    switch (representations) {
    case 0:
        return rd_classes(in, n);
    case 1:
        return rd_planes(in, n, 8);
    case 2:
        return rd_packed(in, n);
    case 3:
        return rd_unit(in, n);
    case 4:
        return rd_prime(in, n);
    case 5:
        return rd_planes(in, n, 4);
    case 6:
        return rd_planes(in, n, 1);
    case 7:
        return rd_table(in, n);
    default:
        in->bad = 1;
        return rd_words(n);
    }
}

// --------------------------------------------------------------------------------- one block

typedef struct rd_box {
    padic_dtype dtype; // of a scalar
    uint32_t rank;
    size_t extent[9], n;
    const uint64_t *before; // bits of the elements of the super-block before this block
    size_t past, reach[64]; // so many; and when the last 1, 2, ... blocks are looked at
} rd_box;

typedef struct rd_op {
    size_t stride, segment;
    uint32_t cubic; // interpolation
} rd_op;

static uint64_t rd_unfold(uint64_t z)
{
    return z & 1 ? ~(z >> 1) : z >> 1;
}

static uint64_t rd_median(uint64_t a, uint64_t b, uint64_t c)
{
    const int64_t left = (int64_t)a, above = (int64_t)b, corner = (int64_t)c;
    if (corner >= left && corner >= above) return left < above ? a : b;
    if (corner <= left && corner <= above) return left > above ? a : b;
    return a + b - c;
}

// Every word is looked at for every level and axis: whether it is its turn, and what is around it.
static void rd_interpolate(const rd_op *op, uint32_t ops, uint64_t scale, uint64_t *x, size_t n)
{
    size_t reach = 1;
    for (uint32_t k = 0; k < ops; k++)
        while (reach < op[k].segment / op[k].stride) reach *= 2;
    for (size_t i = 0; i < n; i++) x[i] *= scale;
    uint32_t level = 0;
    for (size_t s = reach; s > 1; s /= 2) level++;
    for (size_t s = reach / 2; s; s /= 2) {
        level--;
        for (uint32_t k = 0; k < ops; k++) {
            for (size_t i = 0; i < n; i++) {
                const size_t c = i % op[k].segment / op[k].stride, d = s * op[k].stride;
                const size_t end = op[k].segment / op[k].stride;
                int turn = c % (2 * s) == s;
                for (uint32_t j = 0; j < ops && turn; j++)
                    if (j != k) turn = i % op[j].segment / op[j].stride % (j < k ? s : 2 * s) == 0;
                if (!turn) continue;
                if (c + s >= end) {
                    x[i] += x[i - d];
                } else {
                    const int four = (op[k].cubic >> level & 1) && c >= 3 * s && c + 3 * s < end;
                    uint64_t sum = x[i - d] + x[i + d];
                    if (four) sum = 9 * sum - x[i - 3 * d] - x[i + 3 * d] + 8;
                    const uint32_t by = four ? 4 : 1; // division rounds down
                    x[i] += sum >> 63 ? ~(~sum >> by) : sum >> by;
                }
            }
        }
    }
}

typedef struct rd_taps {
    uint32_t count, shift;
    int floats;
    int64_t weight[32];
    int back[32][3];
} rd_taps;

static void rd_read_taps(rd_input *in, uint32_t ops, const uint32_t *axis, rd_taps *taps)
{
    taps->count = (uint32_t)rd_get(in, 1);
    taps->shift = (uint32_t)rd_get(in, 1);
    taps->floats = taps->shift >> 7 & 1;
    taps->shift &= 127;
    if (taps->count < 1 || taps->count > 32 || taps->shift > 31 || ops > 3) in->bad = 1;
    for (uint32_t k = 1; k < ops; k++)
        if (axis[k] == 0x80 || axis[k] <= axis[k - 1]) in->bad = 1;
    for (uint32_t t = 0; t < taps->count && !in->bad; t++) {
        int way = 0;
        for (uint32_t k = 0; k < ops; k++) {
            const int step = (int)rd_get(in, 1);
            taps->back[t][k] = step > 127 ? step - 256 : step;
            if (!way) way = taps->back[t][k];
        }
        if (way < 1) in->bad = 1;
        const int64_t weight = (int64_t)rd_get(in, taps->floats ? 4 : 2);
        const int64_t half = taps->floats ? (int64_t)1 << 31 : 32768;
        taps->weight[t] = weight >= half ? weight - 2 * half : weight;
    }
}

static uint64_t rd_float_word(padic_dtype dtype, double x)
{
    uint64_t bits = 0;
    const float y = cc_narrow(x);
    if (dtype == PADIC_F64) {
        memcpy(&bits, &x, 8);
        return bits >> 63 ? ~(bits & ~((uint64_t)1 << 63)) : bits;
    }
    uint32_t half = 0;
    memcpy(&half, &y, 4);
    return half >> 31 ? ~(uint64_t)(half & 0x7fffffffu) : half;
}

static double rd_word_float(padic_dtype dtype, uint64_t word)
{
    const int negative = (word >> (dtype == PADIC_F64 ? 63 : 31) & 1) != 0;
    uint64_t bits = negative ? ~word : word;
    double x;
    if (dtype == PADIC_F64) {
        bits = (bits & ~((uint64_t)1 << 63)) | (uint64_t)negative << 63;
        memcpy(&x, &bits, 8);
    } else {
        const uint32_t half = ((uint32_t)bits & 0x7fffffffu) | (uint32_t)negative << 31;
        float y;
        memcpy(&y, &half, 4);
        x = y;
    }
    return x - x == 0 ? x : 0; // what is not finite
}

static void rd_unweigh(const rd_op *op, uint32_t ops, const rd_taps *taps, padic_dtype dtype,
                       uint64_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value[32], first = 0, sum = taps->shift ? (uint64_t)1 << (taps->shift - 1) : 0;
        int there[32], any = 0;
        for (uint32_t t = 0; t < taps->count; t++) {
            int64_t from = (int64_t)i;
            there[t] = 1;
            for (uint32_t k = 0; k < ops; k++) {
                const int64_t stride = (int64_t)op[k].stride;
                const int64_t at = (int64_t)(i % op[k].segment) - taps->back[t][k] * stride;
                if (at < 0 || at >= (int64_t)op[k].segment) there[t] = 0;
                from -= taps->back[t][k] * stride;
            }
            if (!there[t]) continue;
            value[t] = x[from];
            if (!any) first = value[t];
            any = 1;
        }
        if (taps->floats) {
            double whole[32], all = 0, scale = 1, v[32];
            int last = -1, head = -1;
            for (uint32_t t = 0; t < taps->shift; t++) scale /= 2;
            for (uint32_t t = 0; t < taps->count; t++) {
                whole[t] = (double)taps->weight[t];
                if (there[t]) v[t] = rd_word_float(dtype, value[t]);
                if (there[t] && head < 0) head = (int)t;
                if (there[t]) last = (int)t;
            }
            for (uint32_t t = 0; t < taps->count && any; t++)
                if (!there[t]) whole[head] += (double)taps->weight[t];
            for (int t = last; t >= 0 && any; t--)
                if (there[t]) all = cc_add(all, cc_mul(cc_mul(whole[t], scale), v[t]));
            if (any) all = cc_add(all, v[head]);
            if (any && all == all) x[i] += rd_float_word(dtype, all);
            continue;
        }
        for (uint32_t t = 0; t < taps->count && any; t++)
            sum += (uint64_t)taps->weight[t] * (there[t] ? value[t] : first);
        if (any) x[i] += first + (sum >> 63 ? ~(~sum >> taps->shift) : sum >> taps->shift);
    }
}

static void rd_unpredict(uint32_t kind, const rd_op *op, uint32_t ops, uint64_t *x, size_t n)
{
    if (kind >> 8) {
        rd_interpolate(op, ops, kind >> 8, x, n);
        return;
    }
    if (kind == 5) {
        const size_t column = op[0].stride, row = op[1].stride, level = op[1].segment;
        for (size_t i = 0; i < n; i++) {
            const size_t place = i % level;
            const int left = place % row >= column, above = place >= row;
            if (left && above)
                x[i] += rd_median(x[i - column], x[i - row], x[i - row - column]);
            else if (left)
                x[i] += x[i - column];
            else if (above)
                x[i] += x[i - row];
        }
        return;
    }
    while (ops-- > 0) {
        for (size_t i = 0; i < n; i++) {
            if (i % op[ops].segment < op[ops].stride) continue;
            if (kind == 4)
                x[i] ^= x[i - op[ops].stride];
            else
                x[i] += x[i - op[ops].stride];
        }
    }
}

// The nearest float of the dtype to x, ties to even; x as it is where the dtype is f64.
static uint64_t rd_round(padic_dtype dtype, double x)
{
    uint64_t bits = cc_load_bits(8, &x, 0);
    if (dtype == PADIC_F64) return bits;
    if (dtype == PADIC_F32) {
        const float y = cc_narrow(x);
        return cc_load_bits(4, &y, 0);
    }
    // Search: the largest float not above |x|, then the nearer neighbour.
    const cc_format f = cc_float_format(dtype);
    const uint64_t sign = bits >> 63 << (f.mantissa + f.exponent);
    const uint64_t inf = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
    const double size = x < 0 ? -x : x;
    uint64_t low = 0, high = inf;
    if (x != x) return sign | inf | UINT64_C(1) << (f.mantissa - 1);
    while (high - low > 1) {
        const uint64_t middle = (low + high) / 2;
        const uint64_t wide = cc_widen_bits(dtype, middle, PADIC_F64);
        double value;
        memcpy(&value, &wide, 8);
        if (value <= size)
            low = middle;
        else
            high = middle;
    }
    double below, above;
    uint64_t wide = cc_widen_bits(dtype, low, PADIC_F64);
    memcpy(&below, &wide, 8);
    if (high == inf) { // the float that would follow the largest
        const uint64_t before = cc_widen_bits(dtype, low - 1, PADIC_F64);
        memcpy(&above, &before, 8);
        above = below + (below - above);
    } else {
        wide = cc_widen_bits(dtype, high, PADIC_F64);
        memcpy(&above, &wide, 8);
    }
    if (size - below > above - size || (size - below == above - size && (low & 1))) low = high;
    return sign | low;
}

typedef struct rd_form {
    uint32_t kind, shift, single;
    uint64_t g, o;
} rd_form;

// Word n becomes an element.
static uint64_t rd_element(const rd_form *form, padic_dtype dtype, uint64_t n)
{
    const int w = 8 * (int)cc_size(dtype);
    const uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
    double g, o, x;
    if (form->kind == 0) { // ordered bits, perhaps without the lowest
        if (!cc_is_float(dtype)) return n & mask;
        const int negative = (int)(n >> (w - 1) & 1); // by the lowest w bits alone
        const uint64_t m = (negative ? ~n : n) & mask; // -1 is -0, -2 the float below, ...
        return ((m << form->shift) + ((uint64_t)negative << (w - 1))) & mask;
    }
    if (form->kind == 1) return ((n & mask) >> 1 | n << (w - 1)) & mask; // the sign was lowest
    if (!cc_is_float(dtype)) return (form->g * n + form->o) & mask;
    memcpy(&g, &form->g, 8);
    memcpy(&o, &form->o, 8);
    x = n >> 63 ? -(double)(~n + 1) : (double)n;
    x = form->kind == 4 ? cc_div(x, g) : cc_mul(x, g);
    if (form->kind == 3) x = cc_add(x, o);
    if (form->single) x = (double)cc_narrow(x);
    return rd_round(dtype, x);
}

// Floats as integers in their order, integers as they are.
static uint64_t rd_order(padic_dtype dtype, uint64_t bits)
{
    const int w = 8 * (int)cc_size(dtype);
    const uint64_t top = UINT64_C(1) << (w - 1), high = w == 64 ? 0 : UINT64_MAX << (w % 64);
    if (!(bits & top) || (!cc_is_float(dtype) && !cc_is_signed(dtype))) return bits;
    return cc_is_float(dtype) ? (high | bits) ^ (top - 1) : high | bits;
}

// The word nearest to an element of a reference; 0 where there is none.
static uint64_t rd_nearest(const rd_form *form, padic_dtype dtype, uint64_t bits)
{
    const int w = 8 * (int)cc_size(dtype);
    const uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
    const uint64_t n = rd_order(dtype, bits);
    double g, o, x;
    if (form->kind == 0) {
        const uint64_t m = n >> 63 ? ~n : n;
        const uint64_t half = form->shift ? UINT64_C(1) << (form->shift - 1) : 0;
        return n >> 63 ? ~((m + half) >> form->shift) : (m + half) >> form->shift;
    }
    if (form->kind == 1) return (bits << 1 | bits >> (w - 1)) & mask;
    if (!cc_is_float(dtype)) {
        const uint64_t y = n - form->o, m = y >> 63 ? 0 - y : y;
        const int negative = cc_is_signed(dtype) && !form->o && y >> 63;
        const uint64_t size = negative ? m : y;
        if (!form->g || form->g >> 63) return 0;
        const uint64_t q = size / form->g + (size % form->g > form->g / 2);
        return negative ? 0 - q : q;
    }
    memcpy(&g, &form->g, 8);
    memcpy(&o, &form->o, 8);
    const uint64_t wide = cc_widen_bits(dtype, bits, PADIC_F64);
    memcpy(&x, &wide, 8);
    if (form->kind == 3) x = cc_add(x, -o);
    x = cc_mul(x, form->kind == 4 ? g : cc_div(1.0, g));
    const double size = x < 0 ? -x : x;
    if (!(size < 4611686018427387904.0)) return 0;
    const uint64_t m = (uint64_t)(size < 4503599627370496.0 ? cc_add(size, 0.5) : size);
    return x < 0 ? 0 - m : m;
}

// Decodes one payload into n elements, as bits. `reference`: those of the layer before, or NULL;
// `digest` is their checksum.
static uint64_t *rd_block(rd_input *in, const rd_box *box, const uint64_t *reference,
                          uint64_t digest);

// Columns of records: a count, then a size and a payload for each.
static void rd_columns(rd_input *in, const rd_box *box, uint64_t *x)
{
    const size_t columns = (size_t)rd_get(in, 4);
    for (size_t k = 0; k < columns && !in->bad; k++) {
        const size_t size = (size_t)rd_get(in, 4);
        rd_input part = rd_part(in, size);
        rd_box column = *box;
        size_t record = 1;
        memset(column.reach, 0, sizeof column.reach);
        while (column.rank && record < columns) record *= box->extent[--column.rank];
        column.n = (box->n + columns - 1 - k) / columns;
        if (record != columns || !column.rank) {
            column.rank = 1;
            column.extent[0] = column.n;
        }
        if (in->bad || size < 9) break;
        uint64_t *y = rd_block(&part, &column, NULL, 0);
        for (size_t i = 0; i < column.n; i++) x[i * columns + k] = y[i];
        in->bad |= part.bad || part.end - part.at != 8;
        free(y);
    }
}

// Elements (with a split the upper bits of rotated ones) from literals and repeats; of copied ones
// the distances go to far[], 0 for the others.
static void rd_matches(rd_input *in, const rd_box *box, size_t past, const uint64_t *z, size_t m,
                       uint32_t split, uint64_t *x, size_t *far)
{
    const size_t q = (size_t)rd_get(in, 4);
    uint64_t last[2] = {0, 0};
    size_t at = 0, used = 0;
    if (q > box->n) in->bad = 1;
    uint64_t *run = rd_classes(in, in->bad ? 0 : q), *length = rd_classes(in, in->bad ? 0 : q);
    uint64_t *code = rd_classes(in, in->bad ? 0 : q);
    if (!q && !m) { // a copy of the block `past` elements before
        for (; at < box->n && past >= box->n && !split; at++)
            x[at] = box->before[box->past - past + at];
    }
    for (size_t i = 0; i < q && !in->bad; i++) {
        const uint64_t distance = code[i] < 2 ? last[code[i]] : code[i] - 1;
        if (code[i]) last[1] = last[0], last[0] = distance;
        for (uint64_t k = 0; k < run[i] && at < box->n && used < m; k++) x[at++] = z[used++];
        for (uint64_t k = 0; k <= length[i] && at < box->n && !in->bad; k++, at++) {
            if (distance == 0 || distance > at + past) {
                in->bad = 1;
            } else if (distance <= at) {
                x[at] = x[at - (size_t)distance];
            } else {
                const int w = 8 * (int)cc_size(box->dtype);
                const uint64_t e = box->before[box->past + at - (size_t)distance];
                x[at] = split ? (e << 1 | e >> (w - 1)) << (64 - w) >> (64 - w) >> split : e;
            }
            far[at] = (size_t)distance;
        }
    }
    while (used < m && at < box->n) x[at++] = z[used++];
    in->bad |= at != box->n || used != m;
    free(run);
    free(length);
    free(code);
}

// The low bits of copied elements were told relative to their sources': the sign, which is the
// lowest, by exclusive or, the others as a folded difference.
static void rd_low_bits(const rd_box *box, uint32_t split, const size_t *far, uint64_t *low)
{
    const uint64_t size = UINT64_C(1) << (split - 1);
    for (size_t i = 0; i < box->n; i++) {
        const int w = 8 * (int)cc_size(box->dtype);
        if (!far[i]) continue;
        uint64_t source = 0;
        if (far[i] <= i) {
            source = low[i - far[i]];
        } else {
            const uint64_t e = box->before[box->past + i - far[i]];
            source = (e << 1 | e >> (w - 1)) & (2 * size - 1);
        }
        const uint64_t up = rd_unfold(low[i] >> 1) + (source >> 1);
        low[i] = (up & (size - 1)) << 1 | ((low[i] ^ source) & 1);
    }
}

static uint64_t *rd_block(rd_input *in, const rd_box *box, const uint64_t *reference,
                          uint64_t digest)
{
    uint64_t *z = NULL, *x = rd_words(box->n);
    rd_form form;
    memset(&form, 0, sizeof form);
    form.kind = (uint32_t)rd_get(in, 1);
    if (form.kind == 5) {
        for (size_t i = 0; i < box->n; i++) x[i] = rd_get(in, cc_size(box->dtype));
        return x;
    }
    if (form.kind == 6) {
        rd_columns(in, box, x);
        return x;
    }
    if (form.kind == 7) { // as unsigned integers, by themselves
        rd_box plain = *box;
        plain.dtype = cc_size(box->dtype) == 8 ? PADIC_U64
                      : cc_size(box->dtype) == 4 ? PADIC_U32 : PADIC_U16;
        if (!cc_is_float(box->dtype) || in->end - in->at < 2 || in->bytes[in->at] > 4 ||
            (in->bytes[in->at + 1] & (64 | 128)))
            in->bad = 1;
        if (in->bad) return x;
        free(x);
        return rd_block(in, &plain, NULL, 0);
    }
    const uint32_t flags = (uint32_t)rd_get(in, 1);
    const size_t reach = flags & 128 ? (size_t)rd_get(in, 1) : 0;
    const size_t past = reach < 64 ? box->reach[reach] : 0;
    const uint32_t predictor = (uint32_t)rd_get(in, 1);
    const uint32_t pattern = (uint32_t)rd_get(in, 1), representations = (uint32_t)rd_get(in, 1);
    if (form.kind == 0) form.shift = (uint32_t)rd_get(in, 1);
    if (form.kind >= 2) form.g = rd_get(in, 8);
    if (form.kind == 3) form.o = rd_get(in, 8);
    form.single = flags >> 2 & 1;
    const uint64_t step = flags & 16 ? rd_get(in, 8) : 1, first = flags & 16 ? rd_get(in, 8) : 0;
    const uint32_t split = flags & 32 ? (uint32_t)rd_get(in, 1) : 0;
    if ((flags & 64) && (!reference || split || rd_get(in, 8) != digest)) in->bad = 1;
    const uint64_t constant = pattern == 3 ? rd_get(in, 8) : 0;
    const size_t m = pattern == 1 || pattern == 2 || pattern == 4 ? (size_t)rd_get(in, 4) : box->n;
    rd_op op[16];
    uint32_t axes[16];
    rd_taps taps;
    uint32_t ops = predictor ? (uint32_t)rd_get(in, 1) : 0;
    if (ops > 16 || form.kind > 5 || m > box->n || split > 32 || (predictor == 5 && ops != 2))
        in->bad = 1, ops = 0;
    if (form.shift && !cc_is_float(box->dtype)) in->bad = 1;
    if (pattern > 4 || (reach && !past) || (pattern == 4 && (flags & 64))) in->bad = 1;
    size_t *far = (size_t *)cc_new((box->n + 1) * sizeof *far);
    memset(far, 0, (box->n + 1) * sizeof *far);
    const size_t sequence = flags & 2 ? m : box->n;
    const uint32_t scale = predictor == 6 ? (uint32_t)rd_get(in, 1) : 0;
    for (uint32_t k = 0; k < ops; k++) {
        const uint32_t axis = (uint32_t)rd_get(in, 1);
        axes[k] = axis;
        op[k].stride = axis == 0x80 ? (size_t)rd_get(in, 4) : 1;
        for (uint32_t a = axis + 1; axis < box->rank && a < box->rank; a++)
            op[k].stride *= box->extent[a];
        op[k].segment = axis == 0x80 ? sequence : op[k].stride * box->extent[axis % 9];
        if ((axis != 0x80 && axis >= box->rank) || !op[k].stride) in->bad = 1, ops = 0;
        if (!op[k].segment) op[k].segment = 1;
        if (predictor == 6) op[k].cubic = (uint32_t)rd_get(in, 4);
    }
    if (predictor == 7) {
        rd_read_taps(in, ops, axes, &taps);
        if (taps.floats && (form.kind || form.shift || split || (flags & (2 | 16 | 64)) ||
                            (box->dtype != PADIC_F32 && box->dtype != PADIC_F64)))
            in->bad = 1;
    }
    if (in->bad) {
        free(far);
        return x;
    }
    if (pattern != 3) {
        z = rd_digits(in, representations, m);
        if (flags & 1)
            for (size_t i = 0; i < m && (flags & 2); i++) z[i] = rd_unfold(z[i]);
        if (flags & 2 && predictor == 7) rd_unweigh(op, ops, &taps, box->dtype, z, m);
        else if (flags & 2) rd_unpredict(predictor, op, ops, z, m);
    }
    if (pattern == 3) {
        for (size_t i = 0; i < box->n; i++) x[i] = constant;
    } else if (pattern == 0) {
        memcpy(x, z, m * sizeof *x);
    } else if (pattern == 1) {
        uint64_t *length = rd_classes(in, m);
        size_t at = 0;
        for (size_t i = 0; i < m && !in->bad; i++)
            for (uint64_t k = 0; k <= length[i] && at < box->n; k++) x[at++] = z[i];
        in->bad |= at != box->n;
        free(length);
    } else if (pattern == 4) {
        for (size_t i = 0; i < m && !split; i++)
            z[i] = rd_element(&form, box->dtype, first + step * z[i]);
        rd_matches(in, box, past, z, m, split, x, far);
    } else {
        const size_t q = (size_t)rd_get(in, 4);
        size_t at = 0, used = 0;
        if (q > box->n) in->bad = 1;
        uint64_t *run = rd_classes(in, in->bad ? 0 : q), *length = rd_classes(in, in->bad ? 0 : q);
        uint64_t *distance = rd_classes(in, in->bad ? 0 : q);
        for (size_t i = 0; i < q && !in->bad; i++) {
            for (uint64_t k = 0; k < run[i] && at < box->n && used < m; k++) x[at++] = z[used++];
            for (uint64_t k = 0; k < length[i] && at < box->n && !in->bad; k++, at++) {
                if (distance[i] > at || !distance[i])
                    in->bad = 1;
                else
                    x[at] = x[at - (size_t)distance[i]];
            }
        }
        while (used < m && at < box->n) x[at++] = z[used++];
        in->bad |= at != box->n || used != m;
        free(run);
        free(length);
        free(distance);
    }
    if (!(flags & 2)) {
        for (size_t i = 0; i < box->n && (flags & 1); i++) x[i] = rd_unfold(x[i]);
        if (predictor == 7) rd_unweigh(op, ops, &taps, box->dtype, x, box->n);
        else rd_unpredict(predictor | scale << 8, op, ops, x, box->n);
    }
    uint64_t *low = rd_words(box->n); // the lowest `split` bits of n, in streams of bytes
    for (uint32_t k = 0; k < split && !in->bad; k += 8) {
        uint8_t *bits = rd_stream(in, box->n);
        for (size_t i = 0; i < box->n; i++) low[i] |= (uint64_t)bits[i] << k;
        free(bits);
    }
    if (pattern == 4 && split) rd_low_bits(box, split, far, low);
    for (size_t i = 0; i < box->n && !in->bad && (pattern != 4 || split); i++) {
        uint64_t n = (first + step * x[i]) << split | low[i];
        if (flags & 64) n += rd_nearest(&form, box->dtype, reference[i]);
        x[i] = rd_element(&form, box->dtype, n);
    }
    free(low);
    free(far);
    if (flags & 8) {
        const size_t count = (size_t)rd_get(in, 4);
        const int relative = rd_get(in, 1) == 1;
        if (count > box->n) in->bad = 1;
        uint64_t *gap = rd_classes(in, in->bad ? 0 : count);
        uint64_t *value = rd_classes(in, in->bad ? 0 : count);
        size_t at = 0;
        for (size_t i = 0; i < count && !in->bad; i++, at++) {
            const rd_form plain = {0, 0, 0, 0, 0};
            at += (size_t)gap[i];
            if (at >= box->n)
                in->bad = 1;
            else if (relative)
                x[at] = rd_element(&plain, box->dtype,
                                   rd_order(box->dtype, x[at]) + rd_unfold(value[i]));
            else
                x[at] = value[i];
        }
        free(gap);
        free(value);
    }
    free(z);
    return x;
}

// ------------------------------------------------------------------------------ the container

typedef struct rd_array {
    padic_dtype dtype;
    uint32_t rank;
    uint64_t shape[8];
    size_t count;
    void *data; // dense, in the host's byte order; NULL after a failure
} rd_array;

// Reads a whole stream. free() its data.
static rd_array rd_read(const uint8_t *bytes, size_t size)
{
    rd_array a;
    rd_input in = {bytes, 0, size, 0};
    memset(&a, 0, sizeof a);
    if (size < 88 || memcmp(bytes, "PADC", 4) || memcmp(bytes + size - 8, "PADC-END", 8)) return a;
    in.at = 4;
    const uint64_t version = rd_get(&in, 1);
    a.dtype = (padic_dtype)rd_get(&in, 1);
    a.rank = (uint32_t)rd_get(&in, 1);
    rd_get(&in, 2); // level, bound mode
    const uint64_t flags = rd_get(&in, 1), header = rd_get(&in, 2), features = rd_get(&in, 4);
    rd_get(&in, 8); // the bound as asked for
    rd_get(&in, 8); // and in the array's unit
    if (version != 1 || a.rank > 8 || flags > 1 || (features & ~UINT64_C(0x3f02)) ||
        header != 40 + 12 * a.rank + (features & 2) * 4 + (features >> 10 & 1) * 4)
        return a;
    uint64_t block[8] = {1, 1, 1, 1, 1, 1, 1, 1}, blocks[8] = {1, 1, 1, 1, 1, 1, 1, 1}, total = 1;
    for (uint32_t k = 0; k < a.rank; k++) a.shape[k] = rd_get(&in, 8);
    for (uint32_t k = 0; k < a.rank; k++) block[k] = rd_get(&in, 4);
    const uint64_t planes = features & 2 ? rd_get(&in, 8) : 1;
    const uint64_t span = features >> 10 & 1 ? rd_get(&in, 4) : 1; // blocks of a super-block
    if (span == 0 || span > 64 || (span > 1 && planes > 1)) return a;
    if (rd_get(&in, 8) != cc_checksum(bytes, (size_t)header - 8, 0x44414548)) return a; // "HEAD"
    // The index.
    in.at = size - 24;
    const uint64_t index = rd_get(&in, 8), sum = rd_get(&in, 8);
    if (index < header || index > size - 48) return a;
    in.at = (size_t)index;
    if (rd_get(&in, 8) != 0xffffffffu) return a;
    const uint64_t indexed = rd_get(&in, 8), length = rd_get(&in, 8);
    if (indexed != (size - 48 - index) / 8) return a;
    if (sum != (cc_checksum(bytes + index, 24, 0x58444e49) ^ // "INDX"
                cc_checksum(bytes + index + 24, 8 * (size_t)indexed, 0x58444e4a) ^
                cc_checksum(bytes + size - 24, 8, 0x58444e4b)))
        return a;
    if (a.rank && flags) a.shape[0] = length; // not known when the header was written
    if (length != (a.rank ? a.shape[0] : 1)) return a;
    for (uint32_t k = 0; k < a.rank; k++) {
        blocks[k] = (a.shape[k] + block[k] - 1) / block[k];
        total *= blocks[k];
    }
    if (total * planes != indexed) return a;
    a.count = cc_count(a.rank, a.shape);
    const size_t parts = cc_components(a.dtype);
    const padic_dtype scalar = cc_base(a.dtype);
    const size_t element = cc_size(scalar);
    uint8_t *data = (uint8_t *)cc_new(a.count * cc_size(a.dtype));
    uint64_t *before = rd_words(a.count * parts);
    size_t starts[65], past = 0;
    for (uint64_t b = 0; b < total; b++) {
        rd_box box;
        uint64_t begin[9], rest = b;
        memset(&box, 0, sizeof box);
        if (b % span == 0) past = 0;
        starts[b % span] = past;
        box.before = before;
        box.past = past;
        for (uint64_t k = 1; k <= b % span; k++) box.reach[k] = past - starts[b % span - k];
        box.dtype = scalar;
        box.rank = a.rank ? a.rank : 1;
        box.extent[0] = box.n = 1;
        begin[0] = 0;
        for (uint32_t k = a.rank; k-- > 0;) {
            begin[k] = rest % blocks[k] * block[k];
            rest /= blocks[k];
            box.extent[k] =
                (size_t)(a.shape[k] - begin[k] < block[k] ? a.shape[k] - begin[k] : block[k]);
            box.n *= box.extent[k];
        }
        if (parts == 2) box.extent[box.rank++] = 2; // complex: a last axis of two
        box.n *= parts;
        uint64_t *x = NULL, digest = 0;
        uint8_t *raw = (uint8_t *)cc_new(box.n * element);
        for (uint64_t layer = 0; layer < planes && !in.bad; layer++) {
            // A frame: size of the payload, rows, checksum of the elements.
            in.at = (size_t)index + 24 + 8 * (size_t)(layer * total + b);
            in.at = (size_t)rd_get(&in, 8);
            const uint64_t payload = rd_get(&in, 4), rows = rd_get(&in, 4), check = rd_get(&in, 8);
            rd_input part = rd_part(&in, (size_t)payload);
            uint64_t *y = rd_block(&part, &box, x, digest);
            free(x);
            x = y;
            for (size_t i = 0; i < box.n * element; i++)
                raw[i] = (uint8_t)(x[i / element] >> (8 * (i % element)));
            digest = cc_checksum(raw, box.n * element, b);
            if (rd_get(&part, 8) != 0 || part.at != part.end || rows != box.extent[0] ||
                payload > box.n * element + 9)
                part.bad = 1;
            if (part.bad || check != digest) in.bad = 1;
        }
        for (size_t i = 0; i < box.n && !in.bad; i++) {
            size_t place = i / parts, to = 0, step = 1;
            for (uint32_t k = a.rank; k-- > 0;) {
                to += (place % box.extent[k] + (size_t)begin[k]) * step;
                place /= box.extent[k];
                step *= (size_t)a.shape[k];
            }
            cc_store_bits(element, data, to * parts + i % parts, x[i]);
        }
        if (!in.bad) memcpy(before + past, x, box.n * sizeof *x);
        past += box.n;
        free(raw);
        free(x);
        if (in.bad) break;
    }
    free(before);
    if (in.bad)
        free(data);
    else
        a.data = data;
    return a;
}

#endif // PADIC_CODEC_READER_H
