// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// Loops that compilers make vectors of: 16 blocks of Philox side by side, then the polynomials of
// padic_random_normal(), operation by operation as there.

PADICI_TARGET PADICI_INLINE void PADICI_OK(words)(uint64_t seed, uint64_t stream, uint32_t step,
                                                  uint32_t block, uint32_t words[4][16])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32), round, i;
    for (i = 0; i < 16; i++) {
        words[0][i] = block + i;
        words[1][i] = step;
        words[2][i] = (uint32_t)stream;
        words[3][i] = (uint32_t)(stream >> 32);
    }
    for (round = 0; round < 10; round++, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u)
        for (i = 0; i < 16; i++) {
            const uint64_t p = (uint64_t)0xd2511f53u * words[0][i];
            const uint64_t q = (uint64_t)0xcd9e8d57u * words[2][i];
            words[0][i] = (uint32_t)(q >> 32) ^ words[1][i] ^ k0;
            words[2][i] = (uint32_t)(p >> 32) ^ words[3][i] ^ k1;
            words[1][i] = (uint32_t)q;
            words[3][i] = (uint32_t)p;
        }
}

// The octave is the exponent of x without the bit below its highest, which is not rounded up.
PADICI_TARGET PADICI_INLINE void PADICI_OK(quantiles)(const uint32_t words[16], float out[16])
{
    const float *table = padici_random_normal_table();
    uint32_t octave[16], sign[16], i;
    float place[16], sum[16];
    int32_t k;
    for (i = 0; i < 16; i++) {
        const uint32_t x = words[i] << 1 | 1;
        const float size = (float)(int32_t)((x & ~(x >> 1)) >> 1);
        uint32_t bits;
        memcpy(&bits, &size, 4);
        octave[i] = bits >> 23 > 126 ? (bits >> 23) - 126 : 0;
        place[i] = (float)((int32_t)(x << (31 - octave[i]) >> 8) - 3 * 4194304) *
                   (1.0f / 4194304.0f);
        sign[i] = words[i] & 0x80000000u;
    }
    for (i = 0; i < 16; i++) sum[i] = table[8 * octave[i] + 7];
    for (k = 6; k >= 0; k--)
        for (i = 0; i < 16; i++) sum[i] = sum[i] * place[i] + table[8 * octave[i] + (uint32_t)k];
    for (i = 0; i < 16; i++) {
        uint32_t bits;
        memcpy(&bits, &sum[i], 4);
        bits ^= sign[i];
        memcpy(&out[i], &bits, 4);
    }
}

PADICI_TARGET static void PADICI_OK(normals)(uint64_t seed, uint64_t stream, uint32_t step,
                                             uint32_t block, uint32_t count, float *out)
{
    uint32_t words[4][16], first, j, i;
    float numbers[4][16];
    for (first = 0; first < count; first += 16) {
        const uint32_t some = count - first < 16 ? count - first : 16;
        PADICI_OK(words)(seed, stream, step, block + first, words);
        for (j = 0; j < 4; j++) PADICI_OK(quantiles)(words[j], numbers[j]);
        for (i = 0; i < some; i++)
            for (j = 0; j < 4; j++) out[4 * (first + i) + j] = numbers[j][i];
    }
}

#endif
