// field.cl: the field of one tile: sources in blocks of as many as a group has items, sorted by
// class; the sums of a block are added to the totals. report: for each tile pairs left out, largest
// phase error, range of v.

// Sums of all blocks, in local memory or in registers.
#if PD_WAVE_TOTALS
typedef PD_LPTR(pd_f32) wave_total; // an item's own
#define WAVE_TOTAL_RE(total, p) (total)[(p) * PD_WAVE_WG]
#define WAVE_TOTAL_IM(total, p) (total)[((p) + WAVE_POINTS) * PD_WAVE_WG]
#else
typedef wave_sums *wave_total;
#define WAVE_TOTAL_RE(total, p) (total)->re[p]
#define WAVE_TOTAL_IM(total, p) (total)->im[p]
#endif

PD_FN void wave_total_clear(wave_total total)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++)
        WAVE_TOTAL_RE(total, p) = WAVE_TOTAL_IM(total, p) = 0.0f;
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) total->gre[p] = total->gim[p] = 0.0f;
#endif
}

PD_FN void wave_total_add(wave_total total, const wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        WAVE_TOTAL_RE(total, p) += sum->re[p];
        WAVE_TOTAL_IM(total, p) += sum->im[p];
    }
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) {
        total->gre[p] += sum->gre[p];
        total->gim[p] += sum->gim[p];
    }
#endif
}

PD_FN void wave_sums_clear(wave_sums *sum)
{
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum->re[p] = sum->im[p] = 0.0f;
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) sum->gre[p] = sum->gim[p] = 0.0f;
#endif
}

// The number of a block's sources in each class: one byte per class, those below 4, the others.
typedef struct {
    pd_u32 low, high;
} wave_counts;

#define WAVE_LENGTH(at) PD_AS_F32((at)->kept[WAVE_KEPT_LENGTH])
#define WAVE_RECORD(at, i) ((at)->stage + WAVE_WORDS * (i))

// Inclusive prefix sums over items of scan0 and scan1.
PD_FN void wave_scan(const wave_space *at, pd_u32 l)
{
    WAVE_ROLL
    for (pd_u32 step = 1u; step < PD_WAVE_WG; step <<= 1) {
        pd_u32 a = 0u, b = 0u;
        PD_BARRIER();
        if (l >= step) {
            a = at->scan0[l - step];
            b = at->scan1[l - step];
        }
        PD_BARRIER();
        at->scan0[l] += a;
        at->scan1[l] += b;
    }
    PD_BARRIER();
}

// Sorts records into `stage` by class, in the order of the sources. At most 128 sources, so that
// one byte per class suffices; those of earlier classes come first.
PD_FN wave_counts wave_sort(const wave_space *at, pd_u32 l, pd_u32 class_, const pd_f32 *record)
{
    pd_u32 own0 = 0u, own1 = 0u, slot;
    wave_counts all;
    if (class_ < 4u) own0 = 1u << (8u * class_);
    if (class_ > 3u && class_ < WAVE_NONE) own1 = 1u << (8u * (class_ - 4u));
    PD_BARRIER();
#if PD_WAVE_ALIKE
    if (l == 0u) at->unlike[0] = 0u;
#endif
    at->scan0[l] = own0;
    at->scan1[l] = own1;
    wave_scan(at, l);
    all.low = at->scan0[PD_WAVE_WG - 1u];
    all.high = at->scan1[PD_WAVE_WG - 1u];
    own0 = all.low * 0x01010100u;
    own1 = all.high * 0x01010100u + (all.low * 0x01010101u >> 24) * 0x01010101u;
    slot = (class_ < 4u) ? at->scan0[l] + own0 : at->scan1[l] + own1;
    slot = (slot >> (8u * (class_ & 3u))) & 255u;
    if (class_ < WAVE_NONE) {
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < WAVE_WORDS; j++) WAVE_RECORD(at, slot - 1u)[j] = record[j];
    }
    PD_BARRIER();
#if PD_WAVE_ALIKE
    if (class_ == WAVE_OPEN && record[5] != at->stage[5]) (void)PD_ATOMIC_OR_L(at->unlike, 1u);
    PD_BARRIER();
#endif
    return all;
}

// A block: sources from `first` up to `end`, at most one per item, staged and sorted.
PD_FN wave_counts wave_gather(PD_GPTR(const pd_f32) record, const wave_space *at,
                              const wave_item *own, pd_u32 first, pd_u32 end, pd_f32 *worst)
{
    const pd_u32 mine = first + own->l;
    pd_f32 to[WAVE_WORDS], error = 0.0f;
    pd_u32 class_ = WAVE_NONE;
    for (pd_u32 j = 0u; j < WAVE_WORDS; j++) to[j] = 0.0f;
    if (mine < end)
        class_ = wave_stage(record + mine, at->kept[WAVE_KEPT_SOURCES], own,
                            PD_AS_F32(at->kept[WAVE_KEPT_TOLERANCE]), WAVE_LENGTH(at), to, &error);
    if (mine < end) error += record[12u * at->kept[WAVE_KEPT_SOURCES] + mine];
    *worst = (error > *worst) ? error : *worst;
    return wave_sort(at, own->l, class_, to);
}

#if PD_WAVE_MODE != 2
#if PD_WAVE_ALIKE
// Sources of equal amplitude, as many as are consecutive; returns the first one after them.
PD_FN pd_u32 wave_sum_alike(const wave_space *at, const wave_item *own, pd_u32 end, wave_sums *sum)
{
    const pd_f32 a = at->stage[5];
    pd_u32 i = 0u;
    for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
            wave_open(WAVE_RECORD(at, i + j), &own->d, WAVE_LENGTH(at), 1u,
                      WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, sum);
    }
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        sum->re[p] *= a;
        sum->im[p] *= a;
    }
    return i;
}
#endif

// OPEN, the first `end` sources. Returns the start of DIRECT: 0, with sums of 0, if a sum is not
// finite: then these sources use the careful version.
PD_FN pd_u32 wave_sum_open(const wave_space *at, const wave_item *own, pd_u32 end, wave_sums *sum)
{
    pd_f32 lost = 0.0f; // NaN if a sum is not finite
    pd_u32 i = 0u;
#if PD_WAVE_ALIKE
    if (at->unlike[0] == 0u) i = wave_sum_alike(at, own, end, sum);
#endif
#if PD_WAVE_TOGETHER > 1
    for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
            wave_open(WAVE_RECORD(at, i + j), &own->d, WAVE_LENGTH(at), 0u,
                      WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, sum);
    }
#endif
    for (; i < end; i++)
        wave_open(WAVE_RECORD(at, i), &own->d, WAVE_LENGTH(at), 0u, WAVE_POLY, sum);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) lost = PD_FMA(0.0f, sum->re[p], lost);
    if (lost != 0.0f) {
        i = 0u;
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum->re[p] = sum->im[p] = 0.0f;
    }
    return i;
}
#endif

// DIRECT, sources i up to `end`. Returns the words of `late` with sources that have remaining
// points.
PD_FN pd_u32 wave_sum_direct(const wave_space *at, const wave_item *own, pd_u32 i, pd_u32 end,
                             wave_sums *sum)
{
    pd_u32 some = 0u;
    WAVE_UNROLL
    for (pd_u32 j = 0u; j < PD_WAVE_WG / 32u; j++) at->late[j * PD_WAVE_WG + own->l] = 0u;
    for (; i < end; i++)
        if (wave_direct(WAVE_RECORD(at, i), &own->d, WAVE_LENGTH(at), own->valid, at->hits, sum)) {
            at->late[(i >> 5) * PD_WAVE_WG + own->l] |= 1u << (i & 31u);
            some |= 1u << (i >> 5);
        }
    return some;
}

// SERIES, ROOT and MIDDLE from source i on; returns where they end.
PD_FN pd_u32 wave_sum_middle(const wave_space *at, wave_item *own, pd_u32 i, wave_counts all,
                             wave_sums *sum)
{
    pd_u32 end = i;
#if PD_WAVE_MODE != 2
    wave_square(&own->d);
#if WAVE_SERIES
    for (end += (all.low >> 16) & 255u; i < end; i++)
        wave_series3(WAVE_RECORD(at, i), &own->d, sum);
    for (end += all.low >> 24; i < end; i++) wave_series4(WAVE_RECORD(at, i), &own->d, sum);
#endif
#endif
#if PD_WAVE_KERNEL != 2
    end += all.high & 255u;
#if PD_WAVE_ROOT
    for (; i < end; i++) wave_middle(WAVE_RECORD(at, i), &own->d, WAVE_LENGTH(at), 1u, sum);
#endif
    for (end += (all.high >> 8) & 255u; i < end; i++)
        wave_middle(WAVE_RECORD(at, i), &own->d, WAVE_LENGTH(at), 0u, sum);
#else
    (void)at;
    (void)own;
    (void)all;
    (void)sum;
#endif
    return end;
}

// WIDE, sources i up to `end`, one point after the other.
PD_FN void wave_sum_wide(PD_GPTR(const pd_u32) points, const wave_space *at, const wave_item *own,
                         pd_u32 i, pd_u32 end, wave_sums *sum)
{
    WAVE_ROLL
    for (pd_u32 p = 0u; i < end && p < WAVE_POINTS; p++) {
        pd_two way[3];
        wave_one one = WAVE_ONE_ZERO;
        wave_way(points, at, own, p, way);
        WAVE_ROLL
        for (pd_u32 j = i; j < end; j++)
            wave_one_add(WAVE_RECORD(at, j), way, WAVE_LENGTH(at), (own->valid >> p) & 1u,
                         at->hits, &one);
        wave_one_join(&one, p, sum);
    }
}

#if PD_WAVE_LINE
// LINE, sources i up to `end`.
PD_FN void wave_sum_line(const wave_space *at, const wave_item *own, pd_u32 i, pd_u32 end,
                         wave_sums *sum)
{
#if PD_WAVE_LINE > 1
    for (; i + PD_WAVE_LINE <= end; i += PD_WAVE_LINE) {
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < PD_WAVE_LINE; j++)
            wave_line(WAVE_RECORD(at, i + j), &own->d,
                      PD_WAVE_POLY_LINE + (j & 1u) * PD_WAVE_POLY_LINE_MORE, sum);
    }
#endif
    for (; i < end; i++) wave_line(WAVE_RECORD(at, i), &own->d, PD_WAVE_POLY_LINE, sum);
}
#endif

// The points of source s that DIRECT left out, as in WIDE.
PD_FN void wave_sum_near(PD_GPTR(const pd_u32) points, const wave_space *at, const wave_item *own,
                         wave_local s, wave_sums *sum)
{
    const pd_f32 near_ = wave_near(s, WAVE_LENGTH(at));
    pd_f32 r2[WAVE_POINTS];
    pd_u32 mask = 0u;
    (void)wave_squares(s, &own->d, WAVE_LENGTH(at), r2);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) mask |= (r2[p] <= near_) ? 1u << p : 0u;
    WAVE_ROLL
    while (mask != 0u) {
        const pd_u32 p = 31u - PD_CLZ(mask);
        pd_two way[3];
        wave_one one;
        mask &= ~(1u << p);
        wave_way(points, at, own, p, way);
        one = wave_one_of(s, way, WAVE_LENGTH(at), (own->valid >> p) & 1u, at->hits);
        wave_one_join(&one, p, sum);
    }
}

// Near points of DIRECT: few, so each item processes its own; `some` as in wave_sum_direct().
PD_FN void wave_sum_late(PD_GPTR(const pd_u32) points, const wave_space *at, const wave_item *own,
                         pd_u32 some, wave_sums *sum)
{
    WAVE_ROLL
    while (some != 0u) {
        const pd_u32 word = 31u - PD_CLZ(some), bits = at->late[word * PD_WAVE_WG + own->l];
        const pd_u32 j = 32u * word + 31u - PD_CLZ(bits);
        at->late[word * PD_WAVE_WG + own->l] = bits & ~(1u << (j & 31u));
        if ((bits & (bits - 1u)) == 0u) some &= ~(1u << word);
        wave_sum_near(points, at, own, WAVE_RECORD(at, j), sum);
    }
}

// Adds the sums of a block of sources to the totals.
PD_FN void wave_sum_block(PD_GPTR(const pd_u32) points, const wave_space *at, wave_item *own,
                          wave_counts all, wave_total total)
{
    wave_sums sum;
    pd_u32 i = 0u, end, some;
    wave_sums_clear(&sum);
#if PD_WAVE_MODE != 2
    i = wave_sum_open(at, own, all.low & 255u, &sum);
#endif
    end = (all.low & 255u) + ((all.low >> 8) & 255u);
    some = wave_sum_direct(at, own, i, end, &sum);
    i = wave_sum_middle(at, own, end, all, &sum);
    end = i + ((all.high >> 16) & 255u);
    wave_sum_wide(points, at, own, i, end, &sum);
#if PD_WAVE_LINE
    wave_sum_line(at, own, end, end + (all.high >> 24), &sum);
#endif
    wave_sum_late(points, at, own, some, &sum);
    wave_total_add(total, &sum);
}

#if PD_WAVE_MODE == 1
// The wave of a frequency is complete: `out` has a row of points for re, im.
PD_FN void wave_band_done(PD_GPTR(pd_f32) out, const wave_space *at, const wave_item *own,
                          pd_u32 band, wave_total total)
{
    const pd_f32 sign = (at->kept[WAVE_KEPT_FLAGS] & WAVE_CONJUGATE) ? -1.0f : 1.0f;
    const pd_u32 row = band * 2u * WAVE_POINTS * PD_WAVE_WG + own->l;
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 kept = (own->valid >> p) & 1u;
        out[row + p * PD_WAVE_WG] = (kept != 0u) ? WAVE_TOTAL_RE(total, p) : 0.0f;
        out[row + (p + WAVE_POINTS) * PD_WAVE_WG] =
            (kept != 0u) ? sign * WAVE_TOTAL_IM(total, p) : 0.0f;
        WAVE_TOTAL_RE(total, p) = WAVE_TOTAL_IM(total, p) = 0.0f;
    }
}

// A group's share of frequencies, one after the other; table[groups] of at most `groups` exist, and
// table[i] is the end of the sources of frequency i.
PD_FN void wave_sum_all(PD_GPTR(const pd_u32) points, PD_GPTR(const pd_f32) record,
                        PD_GPTR(const pd_u32) table, PD_GPTR(pd_f32) out,
                        padic_k_wave_field_params k, const wave_space *at, wave_item *own,
                        wave_total total, pd_f32 *worst)
{
    const pd_u32 there = table[k.groups];
    pd_u32 band = PD_GRP_Y * k.share, base = (band > 0u && band < there) ? table[band - 1u] : 0u;
    const pd_u32 bands = (there < band + k.share) ? there : band + k.share;
    pd_u32 last = (band < bands) ? table[band] : 0u;
    while (band < bands) {
        const pd_u32 end = (last - base < PD_WAVE_WG) ? last : base + PD_WAVE_WG;
        const wave_counts all = wave_gather(record, at, own, base, end, worst);
        wave_sum_block(points, at, own, all, total);
        base = end;
        if (base == last) {
            wave_band_done(out, at, own, PD_GRP * k.groups + band, total);
            band++;
            last = (band < bands) ? table[band] : 0u;
        }
    }
}
#else
PD_FN void wave_sum_all(PD_GPTR(const pd_u32) points, PD_GPTR(const pd_f32) record,
                        PD_GPTR(const pd_u32) table, PD_GPTR(pd_f32) out,
                        padic_k_wave_field_params k, const wave_space *at, wave_item *own,
                        wave_total total, pd_f32 *worst)
{
    for (pd_u32 base = 0u; base < k.sources; base += PD_WAVE_WG) {
        const wave_counts all = wave_gather(record, at, own, base, k.sources, worst);
        wave_sum_block(points, at, own, all, total);
    }
    (void)table;
    (void)out;
}
#endif

#if PD_WAVE_MODE == 2
PD_FN void wave_write_slopes(PD_GPTR(pd_f32) slopes, const wave_space *at, const wave_item *own,
                             wave_total total)
{
    PD_LPTR(const pd_u32) kept = at->kept;
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 first = kept[WAVE_KEPT_SLOPE] +
                             wave_element(own->cell, p, kept[WAVE_KEPT_SLOPE + 1u],
                                          kept[WAVE_KEPT_SLOPE + 2u], kept[WAVE_KEPT_SLOPE + 3u]);
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < 3u; j++) {
            const pd_u32 to = 2u * (first + j * kept[WAVE_KEPT_SLOPE + 4u]);
            const pd_f32 re = total->gre[p + j * WAVE_POINTS], i = total->gim[p + j * WAVE_POINTS];
            const pd_f32 im = (kept[WAVE_KEPT_FLAGS] & WAVE_CONJUGATE) ? -i : i;
            const pd_u32 more = kept[WAVE_KEPT_FLAGS] & WAVE_ACCUMULATE;
            if (!((own->valid >> p) & 1u) || j >= kept[WAVE_KEPT_SLOPE + 5u]) continue;
            slopes[to] = more ? slopes[to] + re : re;
            slopes[to + 1u] = more ? slopes[to + 1u] + im : im;
        }
    }
}
#endif

#if PD_WAVE_MODE != 1
// The requested outputs of an item's valid points, through its part of local memory, so that the
// long loop needs no copy per point.
PD_FN void wave_write_field(PD_GPTR(pd_f32) out, PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table,
                            const wave_space *at, const wave_item *own, wave_total total,
                            wave_range *range)
{
    PD_LPTR(const pd_u32) kept = at->kept;
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        at->stage[p * PD_WAVE_WG + own->l] = WAVE_TOTAL_RE(total, p);
        at->stage[(p + WAVE_POINTS) * PD_WAVE_WG + own->l] = WAVE_TOTAL_IM(total, p);
    }
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_f32 re = at->stage[p * PD_WAVE_WG + own->l];
        const pd_f32 i = at->stage[(p + WAVE_POINTS) * PD_WAVE_WG + own->l];
        const pd_f32 im = (kept[WAVE_KEPT_FLAGS] & WAVE_CONJUGATE) ? -i : i;
        const pd_u32 to = kept[WAVE_KEPT_OUT] + wave_element(own->cell, p, kept[WAVE_KEPT_OUT + 1u],
                                                             kept[WAVE_KEPT_OUT + 2u],
                                                             kept[WAVE_KEPT_OUT + 3u]);
        if ((own->valid >> p) & 1u)
            wave_emit(out, pixels, table, to, kept + WAVE_KEPT_SHOWN, re, im, range);
    }
    PD_BARRIER();
}
#endif

PD_FN void wave_write(PD_GPTR(pd_f32) out, PD_GPTR(pd_u8) pixels, PD_GPTR(pd_f32) slopes,
                      PD_GPTR(const pd_u32) table, const wave_space *at, wave_item *own,
                      wave_total total, wave_range *range)
{
#if PD_WAVE_MODE == 2
    wave_write_slopes(slopes, at, own, total);
    if (!(at->kept[WAVE_KEPT_FLAGS] & WAVE_FIELD)) own->valid = 0u;
#endif
#if PD_WAVE_MODE != 1
    wave_write_field(out, pixels, table, at, own, total, range);
#else // waves are written as they are completed
    (void)out;
    (void)pixels;
    (void)table;
    (void)at;
    (void)own;
    (void)total;
    (void)range;
#endif
    (void)slopes;
}

PD_FN void wave_write_report(PD_GPTR(pd_u32) report, const wave_space *at, pd_u32 l, pd_f32 worst,
                             wave_range range)
{
    const pd_u32 mine = 4u * at->kept[WAVE_KEPT_REPORT];
    for (pd_u32 j = 0u; j < 6u; j++)
        at->stage[j * PD_WAVE_WG + l] = (j < 3u) ? range.low : (j == 3u) ? range.high : worst;
    wave_box(at->stage, l);
    if (l == 0u) {
        report[mine] = at->hits[0];
        report[mine + 1u] = PD_AS_U32(at->stage[4u * PD_WAVE_WG]);
        report[mine + 2u] = PD_AS_U32(at->stage[0]);
        report[mine + 3u] = PD_AS_U32(at->stage[3u * PD_WAVE_WG]);
    }
}

PD_KERNEL_MIN(padic_k_wave_field, PD_WAVE_WG, WAVE_GROUPS)
(PD_CBUF(pd_u32, points), PD_CBUF(pd_f32, record), PD_CBUF(pd_u32, table), PD_BUF(pd_f32, out),
 PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report), PD_BUF(pd_f32, slopes),
 PD_PARAMS(padic_k_wave_field_params, k))
{
    PD_LOCAL WAVE_ALIGN pd_f32 stage[PD_WAVE_WG * WAVE_WORDS];
    PD_LOCAL pd_u32 scan0[PD_WAVE_WG];
    PD_LOCAL pd_u32 scan1[PD_WAVE_WG];
    PD_LOCAL pd_u32 late[PD_WAVE_WG * (PD_WAVE_WG / 32u)];
    PD_LOCAL pd_u32 hits[1];
#if PD_WAVE_ALIKE
    PD_LOCAL pd_u32 unlike[1];
#endif
#if !PD_WAVE_LISTED
    PD_LOCAL pd_f32 rows[6u * PD_WAVE_WG];
#endif
#if PD_WAVE_TOTALS
    PD_LOCAL pd_f32 totals[2u * WAVE_POINTS * PD_WAVE_WG];
#else
    wave_sums totals[1];
#endif
    PD_LOCAL pd_u32 kept[WAVE_KEPT];
    wave_range range = {3.4028235e38f, -3.4028235e38f};
    pd_f32 worst = 0.0f;
    wave_space at;
    wave_item own;
    own.l = PD_LID;
    at.stage = stage;
    at.scan0 = scan0;
    at.scan1 = scan1;
    at.late = late;
    at.hits = hits;
    at.kept = kept;
#if PD_WAVE_ALIKE
    at.unlike = unlike;
#endif
#if !PD_WAVE_LISTED
    at.rows = rows;
#endif
#if PD_WAVE_TOTALS
    const wave_total total = totals + own.l;
#else
    const wave_total total = totals;
#endif
    if (own.l == 0u) {
        hits[0] = 0u;
        wave_keep_field(k, k.tile + PD_GRP, kept);
    }
    PD_BARRIER();
    wave_item_of(points, k, k.tile + PD_GRP, &at, &own);
    wave_total_clear(total);
    wave_sum_all(points, record, table, out, k, &at, &own, total, &worst);
    PD_BARRIER();
    wave_write(out, pixels, slopes, table, &at, &own, total, &range);
    wave_write_report(report, &at, own.l, worst, range);
}
