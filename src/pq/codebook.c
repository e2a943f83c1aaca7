#include "codebook.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../core/jobs.h"

#if PADICI_IMPLEMENT_PQ

// Codebooks: centroids scaled for sums, and the codes of keys.

PADICI_FN int padici_pq_centroids_finite(const padici_pq_book *book, uint64_t row, uint64_t head)
{
    const uint64_t count = book->cells * book->components;
    const float *c = book->centroids + padici_pq_book_index(book, row, head, 0) * count;
    uint64_t i;
    for (i = 0; i < count * book->m; i++)
        if (!padici_pq_finite(padici_pq_bits(c[i]))) return 0;
    return 1;
}

// Scaled components, transposed, then half the norms; nothing of centroids that are not used.
static void padici_pq_prepare_part(const padici_pq_book *book, const float *centroids,
                                   float *scaled, int32_t e, uint32_t used)
{
    const uint64_t cells = book->cells, n = book->components;
    float *norm = scaled + n * cells;
    uint64_t i, k;
    for (i = 0; i < n; i++)
        for (k = 0; k < cells; k++)
            scaled[i * cells + k] =
                k < used ? padici_pq_scaled(padici_pq_bits(centroids[k * n + i]), e) : 0;
    for (k = 0; k < cells; k++) {
        float sum = 0;
        for (i = 0; i < n; i++) {
            const float square = scaled[i * cells + k] * scaled[i * cells + k];
            sum = sum + square;
        }
        norm[k] = k < used ? sum * 0.5f : padici_pq_float(PADICI_PQ_FARTHEST);
    }
}

PADICI_FN void padici_pq_prepare_head(const padici_pq_book *book, uint64_t row, uint64_t head,
                                      const uint32_t *used, const float *phi,
                                      const int32_t *exponent)
{
    const uint64_t first = padici_pq_book_index(book, row, head, 0);
    const uint64_t n = book->components;
    uint32_t largest = 0;
    uint64_t j, i;
    int32_t e;
    for (j = 0; j < book->m; j++) {
        const float *c = book->centroids + (first + j) * book->cells * n;
        for (i = 0; i < used[j] * n; i++) {
            const uint32_t size = padici_pq_bits(c[i]) & 0x7fffffffu;
            if (size > largest) largest = size;
        }
    }
    e = largest ? padici_pq_exponent(largest) : 0;
    for (j = 0; j < book->m; j++) {
        int32_t *info = (int32_t *)(uintptr_t)book->info + (first + j) * PADICI_PQ_INFO;
        uint32_t bits = 0;
        padici_pq_prepare_part(book, book->centroids + (first + j) * book->cells * n,
                               (float *)(uintptr_t)book->scaled +
                                   (first + j) * (n + 1) * book->cells,
                               e, used[j]);
        if (phi) bits = padici_pq_bits(padici_pq_unscaled(phi[j], exponent[j] - 2 * e));
        info[0] = e;
        info[1] = (int32_t)used[j];
        memcpy(&info[2], &bits, 4);
        info[3] = 0;
    }
}

// Codes of keys

PADICI_FN uint32_t padici_pq_nearest(const padici_pq_kernels *kernels, const float *scaled,
                                     uint64_t components, uint64_t cells, const float *x,
                                     float *sums)
{
    const float *norm = scaled + components * cells;
    float least;
    uint32_t best = 0;
    uint64_t k;
    (*kernels->dots)(x, scaled, components, cells, sums);
    least = norm[0] - sums[0];
    for (k = 1; k < cells; k++) {
        const float distance = norm[k] - sums[k];
        if (distance < least) {
            least = distance;
            best = (uint32_t)k;
        }
    }
    return best;
}

PADICI_FN uint64_t padici_pq_key_floats(const padici_pq_book *book)
{
    return book->components + book->cells;
}

PADICI_FN int padici_pq_encode_key(const padici_pq_kernels *kernels, const padici_pq_book *book,
                                   uint64_t row, uint64_t head, const char *key, padic_dtype dtype,
                                   int64_t step, float *space, uint16_t *codes, uint32_t *clamped)
{
    const int32_t e = padici_pq_book_exponent(book, row, head);
    float *x = space, *sums = space + book->components;
    uint32_t beyond = 0;
    uint64_t i, j;
    for (j = 0; j < book->m; j++) {
        const uint64_t at = padici_pq_book_index(book, row, head, j);
        float norm = 0;
        for (i = 0; i < book->ds; i++, key += step) {
            const uint32_t bits = padici_pq_load(key, dtype);
            if (!padici_pq_finite(bits)) {
                memset(codes, 0, (size_t)book->m * sizeof *codes);
                return 0;
            }
            x[i] = padici_pq_scaled(bits, e);
        }
        if (book->ds < book->components) { // IP
            uint32_t bits;
            float left;
            for (i = 0; i < book->ds; i++) {
                const float square = x[i] * x[i];
                norm = norm + square;
            }
            memcpy(&bits, &book->info[at * PADICI_PQ_INFO + 2], 4);
            left = padici_pq_float(bits) - norm;
            if (left < 0) beyond++;
            x[book->ds] = padici_pq_root(left);
        }
        codes[j] = (uint16_t)padici_pq_nearest(
            kernels, book->scaled + at * (book->components + 1) * book->cells, book->components,
            book->cells, x, sums);
    }
    *clamped += beyond;
    return 1;
}

// padic_pq_prepare()

PADICI_FN uint32_t padici_pq_prepare_operands(void *desc_, padici_operand *operands)
{
    padic_pq_prepare_desc *desc = (padic_pq_prepare_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 1);
    operands[0].out = 0;
    n = padici_pq_optional(operands, n, "used", &desc->used, 0);
    return padici_pq_optional(operands, n, "phi", &desc->phi, 0);
}

PADICI_FN padic_result padici_pq_prepare_check(padic_context *context, const void *desc_)
{
    const padic_pq_prepare_desc *desc = (const padic_pq_prepare_desc *)desc_;
    const uint64_t *n = desc->codebook.centroids.shape;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result)
        result = padici_pq_check_optional(context, "used", &desc->used, PADIC_U32, 3, n[0], n[1],
                                          n[2], 0);
    if (!result && desc->codebook.metric == PADIC_PQ_METRIC_IP && !padici_pq_here(&desc->phi))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "phi", "is missing: IP needs it");
    return result ? result
                  : padici_pq_check_optional(context, "phi", &desc->phi, PADIC_F32, 3, n[0], n[1],
                                             n[2], 0);
}

typedef struct padici_pq_parts { // of one row and head
    uint32_t used[PADICI_PQ_SUBVECTORS];
    float phi[PADICI_PQ_SUBVECTORS];
    int32_t exponent[PADICI_PQ_SUBVECTORS];
} padici_pq_parts;

static PADICI_NOINLINE padic_result padici_pq_prepare_one(const padic_env *env,
                                                          const padici_pq_book *book,
                                                          const padici_pq_view *used,
                                                          const padici_pq_view *phi, uint64_t row,
                                                          uint64_t head)
{
    padici_pq_parts parts;
    uint64_t j;
    if (!padici_pq_centroids_finite(book, row, head))
        return padici_env_fail(env, PADIC_ERROR_NOT_FINITE, "a centroid has a NaN or an infinity");
    memset(&parts, 0, sizeof parts);
    for (j = 0; j < book->m; j++) {
        const int64_t place[3] = {(int64_t)row, (int64_t)head, (int64_t)j};
        parts.used[j] = (uint32_t)book->cells;
        if (used->at)
            parts.used[j] = *(const uint32_t *)(const void *)(used->at + place[0] * used->step[0] +
                                                              place[1] * used->step[1] +
                                                              place[2] * used->step[2]);
        if (!parts.used[j] || parts.used[j] > book->cells)
            return padici_env_fail(env, PADIC_ERROR_ARGUMENT, "used has one not from 1 to K");
        if (!phi->at) continue;
        parts.phi[j] = *(const float *)(const void *)(phi->at + place[0] * phi->step[0] +
                                                      place[1] * phi->step[1] +
                                                      place[2] * phi->step[2]);
        if (!padici_pq_finite(padici_pq_bits(parts.phi[j])) || parts.phi[j] < 0)
            return padici_env_fail(env, PADIC_ERROR_NOT_FINITE, "phi has one that is no square");
    }
    padici_pq_prepare_head(book, row, head, parts.used, phi->at ? parts.phi : NULL, parts.exponent);
    return PADIC_OK;
}

PADICI_FN padic_result padici_pq_prepare_host(const padic_env *env, const void *desc_)
{
    const padic_pq_prepare_desc *desc = (const padic_pq_prepare_desc *)desc_;
    const padici_pq_view used = padici_pq_view_of(&desc->used), phi = padici_pq_view_of(&desc->phi);
    padici_pq_book book;
    padic_result result = PADIC_OK;
    uint64_t row, head;
    padici_pq_book_of(&desc->codebook, &book);
    for (row = 0; row < book.batch; row++)
        for (head = 0; head < book.groups && !result; head++)
            result = padici_pq_prepare_one(env, &book, &used, &phi, row, head);
    return result;
}

#endif
