// order.cl: sorts by frequency, from data in device memory: sources of one frequency become
// consecutive, in their own order.

typedef struct {
    pd_u32 count, base, step, wide; // of the frequencies, in words
    pd_u32 driven;                  // each source has a separate frequency
    pd_f32 scale_hi, scale_lo;      // to turns per time
} padic_k_wave_order_params;

#if PD_WAVE_MODE == 1
typedef struct {
    pd_u32 high, low;
} wave_key;

// Numbers that sort like frequencies; -0 as 0.
PD_FN wave_key wave_key_of(PD_GPTR(const pd_u32) frequency, padic_k_wave_order_params k, pd_u32 i)
{
    const pd_u32 at = k.base + i * k.step;
    wave_key key;
    key.low = k.wide ? frequency[at] : 0u;
    key.high = k.wide ? frequency[at + 1u] : frequency[at];
    if ((key.high << 1 | key.low) == 0u) key.high = 0u;
    if (key.high >> 31) {
        key.high = ~key.high;
        key.low = ~key.low;
    } else {
        key.high |= 0x80000000u;
    }
    return key;
}
#endif

PD_KERNEL_WG(padic_k_wave_rank, PD_WAVE_WG)
(PD_CBUF(pd_u32, frequency), PD_BUF(pd_u32, order), PD_PARAMS(padic_k_wave_order_params, k))
{
#if PD_WAVE_MODE == 1
    PD_LOCAL pd_u32 high[PD_WAVE_WG];
    PD_LOCAL pd_u32 low[PD_WAVE_WG];
    const pd_u32 l = PD_LID, i = PD_GRP * PD_WAVE_WG + l;
    const pd_u32 own = (i < k.count) ? i : k.count - 1u;
    pd_u32 rank = 0u;
    wave_key key;
    key.high = key.low = 0u;
    if (!k.driven) key = wave_key_of(frequency, k, own);
    for (pd_u32 base = 0u; base < k.count && !k.driven; base += PD_WAVE_WG) {
        const pd_u32 n = (k.count - base < PD_WAVE_WG) ? k.count - base : PD_WAVE_WG;
        PD_BARRIER();
        if (l < n) {
            const wave_key other = wave_key_of(frequency, k, base + l);
            high[l] = other.high;
            low[l] = other.low;
        }
        PD_BARRIER();
        for (pd_u32 j = 0u; j < n; j++)
            if (high[j] < key.high ||
                (high[j] == key.high &&
                 (low[j] < key.low || (low[j] == key.low && base + j < own))))
                rank++;
    }
    if (i < k.count) order[k.driven ? i : rank] = i;
#else
    (void)frequency;
    (void)order;
    (void)k;
#endif
}

// ends: the end of the sources of each frequency; ends[count] is their number. One group.
PD_KERNEL_WG(padic_k_wave_ends, PD_WAVE_WG)
(PD_CBUF(pd_u32, frequency), PD_CBUF(pd_u32, order), PD_BUF(pd_u32, ends), PD_BUF(pd_f32, rates),
 PD_PARAMS(padic_k_wave_order_params, k))
{
#if PD_WAVE_MODE == 1
    PD_LOCAL pd_u32 scan[PD_WAVE_WG];
    const pd_u32 l = PD_LID;
    pd_u32 found = 0u; // frequencies so far
    for (pd_u32 base = 0u; base < k.count; base += PD_WAVE_WG) {
        const pd_u32 i = base + l;
        pd_u32 first = 0u;
        if (i < k.count) {
            first = 1u;
            if (!k.driven && i > 0u) {
                const wave_key a = wave_key_of(frequency, k, order[i]);
                const wave_key b = wave_key_of(frequency, k, order[i - 1u]);
                first = (a.high != b.high || a.low != b.low) ? 1u : 0u;
            }
        }
        PD_BARRIER();
        scan[l] = first;
        for (pd_u32 step = 1u; step < PD_WAVE_WG; step <<= 1) {
            pd_u32 a = 0u;
            PD_BARRIER();
            if (l >= step) a = scan[l - step];
            PD_BARRIER();
            scan[l] += a;
        }
        PD_BARRIER();
        if (first) {
            const pd_u32 g = found + scan[l] - 1u;
            pd_two rate = pd_two_raw(0.0f, 0.0f);
            if (!k.driven)
                rate = pd_two_mul(pd_two_load(frequency, k.base + order[i] * k.step, k.wide),
                                  pd_two_raw(k.scale_hi, k.scale_lo));
            rates[2u * g] = rate.hi;
            rates[2u * g + 1u] = rate.lo;
            if (g > 0u) ends[g - 1u] = i;
        }
        found += scan[PD_WAVE_WG - 1u];
    }
    for (pd_u32 g = found + l; g < k.count; g += PD_WAVE_WG) {
        ends[g] = k.count;
        rates[2u * g] = rates[2u * g + 1u] = 0.0f;
    }
    if (l == 0u) {
        ends[found - 1u] = k.count;
        ends[k.count] = found;
    }
#else
    (void)frequency;
    (void)order;
    (void)ends;
    (void)rates;
    (void)k;
#endif
}
