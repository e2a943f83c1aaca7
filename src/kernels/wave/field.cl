// field.cl: the field of a tile: sources by blocks, sorted by class, and what is written of sums.

#if PD_WAVE_TOTALS
#define WAVE_TOTAL_RE(p) totals[(p) * PD_WAVE_WG + l]
#define WAVE_TOTAL_IM(p) totals[((p) + WAVE_POINTS) * PD_WAVE_WG + l]
#else
#define WAVE_TOTAL_RE(p) total.re[p]
#define WAVE_TOTAL_IM(p) total.im[p]
#endif

// The field of one tile. report: for each tile pairs left out, largest phase error, range of v.
PD_KERNEL_MIN(padic_k_wave_field, PD_WAVE_WG, WAVE_GROUPS)
(PD_CBUF(pd_u32, points), PD_CBUF(pd_f32, record), PD_CBUF(pd_u32, table), PD_BUF(pd_f32, out),
 PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report), PD_BUF(pd_f32, slopes),
 PD_PARAMS(padic_k_wave_field_params, k))
{
    PD_LOCAL WAVE_ALIGN pd_f32 stage[PD_WAVE_WG * WAVE_WORDS];
    PD_LOCAL pd_u32 scan0[PD_WAVE_WG];
    PD_LOCAL pd_u32 scan1[PD_WAVE_WG];
    PD_LOCAL pd_u32 late[PD_WAVE_WG * (PD_WAVE_WG / 32u)]; // bits of sources an item takes WIDE
    PD_LOCAL pd_u32 hits[1]; // pairs left out
#if PD_WAVE_ALIKE
    PD_LOCAL pd_u32 unlike[1]; // amplitudes of sources of OPEN are
#endif
#if !PD_WAVE_LISTED
    PD_LOCAL pd_f32 rows[6u * PD_WAVE_WG]; // where an item's row is, two words
#endif
#if PD_WAVE_TOTALS
    PD_LOCAL pd_f32 totals[2u * WAVE_POINTS * PD_WAVE_WG]; // each item's own
#endif
    PD_LOCAL pd_u32 kept[48]; // params wanted late or seldom: else registers would hold them
    const pd_u32 l = PD_LID, number = k.tile + PD_GRP;
    pd_u32 valid = 0u;
    pd_f32 worst = 0.0f, low = 3.4028235e38f, high = -3.4028235e38f;
    wave_points d;
#if !PD_WAVE_TOTALS
    wave_sums total;
#endif
    wave_tile tile;
    if (l == 0u) {
        hits[0] = 0u;
        kept[0] = k.out_base;
        kept[1] = k.out_step[0];
        kept[2] = k.out_step[1];
        kept[3] = k.out_step[2];
        kept[4] = k.out_last;
        kept[5] = k.emit;
        kept[6] = k.tone;
        kept[7] = k.nan_colour;
        kept[8] = PD_AS_U32(k.low);
        kept[9] = PD_AS_U32(k.high);
        kept[10] = PD_AS_U32(k.scale);
        kept[29] = PD_AS_U32(k.tolerance);
        kept[30] = PD_AS_U32(k.length);
#if PD_WAVE_MODE == 1
        kept[38] = number * ((k.groups + k.share - 1u) / k.share) + PD_GRP_Y;
#else
        kept[38] = number;
#endif
        kept[39] = k.sources;
#if PD_WAVE_MODE == 2
        kept[40] = k.slope_base;
        kept[41] = k.slope_step[0];
        kept[42] = k.slope_step[1];
        kept[43] = k.slope_step[2];
        kept[44] = k.slope_axis;
        kept[45] = k.components;
#endif
#if PD_WAVE_LISTED
        kept[11] = k.list_base;
        kept[12] = k.list_step;
        kept[13] = k.list_axis;
        kept[14] = k.list_wide;
        kept[15] = k.list_dimensions;
#else
        kept[11] = PD_AS_U32(k.step[0]);
        kept[12] = PD_AS_U32(k.step[1]);
        kept[13] = PD_AS_U32(k.step[2]);
        kept[14] = PD_AS_U32(k.step[3]);
        kept[15] = PD_AS_U32(k.step[4]);
        kept[16] = PD_AS_U32(k.step[5]);
        kept[17] = PD_AS_U32(k.step[6]);
        kept[18] = PD_AS_U32(k.step[7]);
        kept[19] = PD_AS_U32(k.step[8]);
        kept[20] = PD_AS_U32(k.step[9]);
        kept[21] = PD_AS_U32(k.step[10]);
        kept[22] = PD_AS_U32(k.step[11]);
        kept[23] = PD_AS_U32(k.step[12]);
        kept[24] = PD_AS_U32(k.step[13]);
        kept[25] = PD_AS_U32(k.step[14]);
        kept[26] = PD_AS_U32(k.step[15]);
        kept[27] = PD_AS_U32(k.step[16]);
        kept[28] = PD_AS_U32(k.step[17]);
#endif
    }
    PD_BARRIER();
#if PD_WAVE_LISTED
    const pd_u32 first = number * PD_WAVE_WG * WAVE_POINTS + l;
    const pd_f32 ax = 0.0f, ay = 0.0f, az = 0.0f;
    {
        pd_f32 box[6] = {3e38f, 3e38f, 3e38f, -3e38f, -3e38f, -3e38f}, largest = 0.0f, square;
        pd_f32 rx[WAVE_POINTS], ry[WAVE_POINTS], rz[WAVE_POINTS]; // second words
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++)
            if (first + p * PD_WAVE_WG < k.points) valid |= 1u << p;
        WAVE_COLUMN(0u, d.x, rx, box[0], box[3])
        WAVE_COLUMN(1u, d.y, ry, box[1], box[4])
        WAVE_COLUMN(2u, d.z, rz, box[2], box[5])
        PD_BARRIER();
        for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = box[j];
        wave_box(stage, l);
        tile.exact = 1u;
        tile.x = wave_centre(stage[0], stage[3u * PD_WAVE_WG], &tile.exact);
        tile.y = wave_centre(stage[PD_WAVE_WG], stage[4u * PD_WAVE_WG], &tile.exact);
        tile.z = wave_centre(stage[2u * PD_WAVE_WG], stage[5u * PD_WAVE_WG], &tile.exact);
        PD_BARRIER();
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            const pd_two x = pd_two_sum(d.x[p], -tile.x.hi), y = pd_two_sum(d.y[p], -tile.y.hi);
            const pd_two z = pd_two_sum(d.z[p], -tile.z.hi);
            d.x[p] = x.hi + (x.lo + rx[p]);
            d.y[p] = y.hi + (y.lo + ry[p]);
            d.z[p] = z.hi + (z.lo + rz[p]);
            square = PD_FMA(d.x[p], d.x[p], PD_FMA(d.y[p], d.y[p], d.z[p] * d.z[p]));
            largest = (square < 1e36f && square > largest) ? square : largest;
            if (rx[p] != 0.0f || ry[p] != 0.0f || rz[p] != 0.0f) tile.exact = 0u;
        }
        for (pd_u32 j = 0u; j < 6u; j++)
            stage[j * PD_WAVE_WG + l] = (j < 3u) ? (pd_f32)tile.exact : largest;
        wave_box(stage, l);
        tile.radius = PD_SQRT(stage[3u * PD_WAVE_WG]) * 1.000001f;
        tile.place = 0.0f;
        tile.exact = (stage[0] != 0.0f) ? 1u : 0u;
    }
#else
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0, i1 = (t1 << k.log[1]) + l1;
    const pd_u32 i2 = (t2 << k.log[2]) + l2;
    // Half the tile, in steps, and this item's first point from the centre.
    const pd_f32 h0 = 0.5f * (pd_f32)((WAVE_POINTS << k.log[0]) - 1u);
    const pd_f32 h1 = 0.5f * (pd_f32)((1u << k.log[1]) - 1u);
    const pd_f32 h2 = 0.5f * (pd_f32)((1u << k.log[2]) - 1u);
    const pd_f32 f0 = (pd_f32)(WAVE_POINTS * l0) - h0, f1 = (pd_f32)l1 - h1, f2 = (pd_f32)l2 - h2;
    const pd_f32 c0 = (pd_f32)(i0 - WAVE_POINTS * l0) + h0, c1 = (pd_f32)(i1 - l1) + h1;
    const pd_f32 c2 = (pd_f32)(i2 - l2) + h2;
    const pd_f32 ax = PD_AS_F32(kept[11]), ay = PD_AS_F32(kept[13]), az = PD_AS_F32(kept[15]);
    tile.x = pd_two_add(pd_two_raw(k.origin[0], k.origin[1]), WAVE_ALONG(k, 0, c0, c1, c2));
    tile.y = pd_two_add(pd_two_raw(k.origin[2], k.origin[3]), WAVE_ALONG(k, 1, c0, c1, c2));
    tile.z = pd_two_add(pd_two_raw(k.origin[4], k.origin[5]), WAVE_ALONG(k, 2, c0, c1, c2));
    if (l == 0u) { // out of the scalar registers, which are short on some chips
        kept[31] = PD_AS_U32(tile.x.hi);
        kept[32] = PD_AS_U32(tile.x.lo);
        kept[33] = PD_AS_U32(tile.y.hi);
        kept[34] = PD_AS_U32(tile.y.lo);
        kept[35] = PD_AS_U32(tile.z.hi);
        kept[36] = PD_AS_U32(tile.z.lo);
        kept[37] = PD_AS_U32(k.radius);
        kept[46] = PD_AS_U32(k.place);
    }
    PD_BARRIER();
    tile.x = wave_kept(kept + 31);
    tile.y = wave_kept(kept + 33);
    tile.z = wave_kept(kept + 35);
    tile.radius = PD_AS_F32(kept[37]);
    tile.place = PD_AS_F32(kept[46]);
    tile.exact = 0u;
    for (pd_u32 j = 0u; j < 3u; j++) {
        const pd_two row = pd_two_add(pd_two_mul1(wave_kept(kept + 17u + 2u * j), f1),
                                      pd_two_mul1(wave_kept(kept + 23u + 2u * j), f2));
        rows[2u * j * PD_WAVE_WG + l] = row.hi;
        rows[(2u * j + 1u) * PD_WAVE_WG + l] = row.lo;
    }
    d.x = WAVE_ALONG(k, 0, f0, f1, f2).hi;
    d.y = WAVE_ALONG(k, 1, f0, f1, f2).hi;
    d.z = WAVE_ALONG(k, 2, f0, f1, f2).hi;
    d.ax = ax;
    d.ay = ay;
    d.az = az;
#if PD_WAVE_LINE
    {
        const pd_f32 m0 = f0 + 0.5f * (pd_f32)(PD_WAVE_POINTS - 1);
        d.cx = WAVE_ALONG(k, 0, m0, f1, f2).hi;
        d.cy = WAVE_ALONG(k, 1, m0, f1, f2).hi;
        d.cz = WAVE_ALONG(k, 2, m0, f1, f2).hi;
        d.middle = PD_FMA(d.cx, d.cx, PD_FMA(d.cy, d.cy, d.cz * d.cz));
        d.step = PD_FMA(d.cx, ax, PD_FMA(d.cy, ay, d.cz * az));
    }
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        if (i0 + p < k.count[0] && i1 < k.count[1] && i2 < k.count[2]) valid |= 1u << p;
    }
    (void)points;
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) WAVE_TOTAL_RE(p) = WAVE_TOTAL_IM(p) = 0.0f;
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) total.gre[p] = total.gim[p] = 0.0f;
#endif
#if PD_WAVE_MODE == 1
    // Of at most `groups` frequencies table[groups] are there.
    const pd_u32 there = table[k.groups];
    pd_u32 band = PD_GRP_Y * k.share, base = (band > 0u && band < there) ? table[band - 1u] : 0u;
    const pd_u32 bands = (there < band + k.share) ? there : band + k.share;
    pd_u32 last = (band < bands) ? table[band] : 0u;
    while (band < bands) {
        const pd_u32 mine = base + l, here = (last - base < PD_WAVE_WG) ? last : base + PD_WAVE_WG;
#else
    const pd_u32 here = k.sources;
    for (pd_u32 base = 0u; base < k.sources; base += PD_WAVE_WG) {
        const pd_u32 mine = base + l;
#endif
        pd_f32 to[WAVE_WORDS], error = 0.0f;
        pd_u32 class_ = WAVE_NONE, own0 = 0u, own1 = 0u, all0, all1, slot, i = 0u, end, some;
        wave_sums sum;
        for (pd_u32 j = 0u; j < WAVE_WORDS; j++) to[j] = 0.0f;
        if (mine < here)
            class_ = wave_stage(record + mine, kept[39], to, &tile, ax, ay, az,
                                PD_AS_F32(kept[29]), PD_AS_F32(kept[30]), &error);
        if (mine < here) error += record[12u * kept[39] + mine];
        worst = (error > worst) ? error : worst;
        if (class_ < 4u) own0 = 1u << (8u * class_);
        if (class_ > 3u && class_ < WAVE_NONE) own1 = 1u << (8u * (class_ - 4u));
        // Sorts the block by class, in the order of the sources.
        PD_BARRIER();
#if PD_WAVE_ALIKE
        if (l == 0u) unlike[0] = 0u;
#endif
        scan0[l] = own0;
        scan1[l] = own1;
        WAVE_ROLL
        for (pd_u32 step = 1u; step < PD_WAVE_WG; step <<= 1) {
            pd_u32 a = 0u, b = 0u;
            PD_BARRIER();
            if (l >= step) {
                a = scan0[l - step];
                b = scan1[l - step];
            }
            PD_BARRIER();
            scan0[l] += a;
            scan1[l] += b;
        }
        PD_BARRIER();
        all0 = scan0[PD_WAVE_WG - 1u];
        all1 = scan1[PD_WAVE_WG - 1u];
        // A byte a class, of at most 128 sources; those of earlier classes come first.
        own0 = all0 * 0x01010100u;
        own1 = all1 * 0x01010100u + (all0 * 0x01010101u >> 24) * 0x01010101u;
        slot = (class_ < 4u) ? scan0[l] + own0 : scan1[l] + own1;
        slot = (slot >> (8u * (class_ & 3u))) & 255u;
        if (class_ < WAVE_NONE) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < WAVE_WORDS; j++) stage[WAVE_WORDS * (slot - 1u) + j] = to[j];
        }
        PD_BARRIER();
#if PD_WAVE_ALIKE
        if (class_ == WAVE_OPEN && to[5] != stage[5]) (void)PD_ATOMIC_OR_L(unlike, 1u);
        PD_BARRIER();
#endif
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum.re[p] = sum.im[p] = 0.0f;
#if PD_WAVE_MODE == 2
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) sum.gre[p] = sum.gim[p] = 0.0f;
#else
        end = all0 & 255u;
#if PD_WAVE_ALIKE
        if (unlike[0] == 0u) {
            const pd_f32 a = stage[5];
            for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
                WAVE_UNROLL
                for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
                    wave_open(stage + WAVE_WORDS * (i + j), &d, PD_AS_F32(kept[30]), 1u,
                              WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, &sum);
            }
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
                sum.re[p] *= a;
                sum.im[p] *= a;
            }
        }
#endif
#if PD_WAVE_TOGETHER > 1
        for (; i + PD_WAVE_TOGETHER <= end; i += PD_WAVE_TOGETHER) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < PD_WAVE_TOGETHER; j++)
                wave_open(stage + WAVE_WORDS * (i + j), &d, PD_AS_F32(kept[30]), 0u,
                          WAVE_POLY + (j & 1u) * PD_WAVE_POLY_MORE, &sum);
        }
#endif
        for (; i < end; i++)
            wave_open(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 0u, WAVE_POLY, &sum);
        {
            pd_f32 lost = 0.0f; // NaN if a sum is not finite
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) lost = PD_FMA(0.0f, sum.re[p], lost);
            if (lost != 0.0f) {
                i = 0u; // these sources with care
                WAVE_UNROLL
                for (pd_u32 p = 0u; p < WAVE_POINTS; p++) sum.re[p] = sum.im[p] = 0.0f;
            }
        }
#endif
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < PD_WAVE_WG / 32u; j++) late[j * PD_WAVE_WG + l] = 0u;
        some = 0u;
        for (end = (all0 & 255u) + ((all0 >> 8) & 255u); i < end; i++)
            if (wave_direct(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), valid, hits, &sum)) {
                late[(i >> 5) * PD_WAVE_WG + l] |= 1u << (i & 31u);
                some |= 1u << (i >> 5);
            }
#if PD_WAVE_MODE != 2
        wave_square(&d);
#endif
#if PD_WAVE_MODE != 2 && !PD_WAVE_LINE
        for (end += (all0 >> 16) & 255u; i < end; i++)
            wave_series3(stage + WAVE_WORDS * i, &d, &sum);
        for (end += all0 >> 24; i < end; i++) wave_series4(stage + WAVE_WORDS * i, &d, &sum);
#endif
        end += all1 & 255u;
#if PD_WAVE_ROOT
        for (; i < end; i++)
            wave_middle(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 1u, &sum);
#endif
        for (end += (all1 >> 8) & 255u; i < end; i++)
            wave_middle(stage + WAVE_WORDS * i, &d, PD_AS_F32(kept[30]), 0u, &sum);
        end += (all1 >> 16) & 255u;
        WAVE_ROLL
        for (pd_u32 p = 0u; i < end && p < WAVE_POINTS; p++) {
            pd_two at[3];
            pd_f32 re = 0.0f, im = 0.0f;
#if PD_WAVE_MODE == 2
            pd_f32 way[3], gre[3] = {0.0f, 0.0f, 0.0f}, gim[3] = {0.0f, 0.0f, 0.0f};
#endif
            WAVE_WAY(p, at)
            WAVE_ROLL
            for (pd_u32 j = i; j < end; j++) {
#if PD_WAVE_MODE == 2
                const wave_pair f = wave_wide(stage + WAVE_WORDS * j, at, PD_AS_F32(kept[30]),
                                              (valid >> p) & 1u, hits, way);
                re += f.re;
                im += f.im;
                WAVE_UNROLL
                for (pd_u32 q = 0u; q < 3u; q++) {
                    gre[q] = PD_FMA(f.gre, way[q], gre[q]);
                    gim[q] = PD_FMA(f.gim, way[q], gim[q]);
                }
#else
                const wave_phasor f = wave_wide(stage + WAVE_WORDS * j, at, PD_AS_F32(kept[30]),
                                                (valid >> p) & 1u, hits);
                re = PD_FMA(f.size, f.re, re);
                im = PD_FMA(f.size, f.im, im);
#endif
            }
            WAVE_SUM(p, re, im, gre, gim)
        }
#if PD_WAVE_LINE
        i = end;
        end += all1 >> 24;
#if PD_WAVE_LINE > 1
        for (; i + PD_WAVE_LINE <= end; i += PD_WAVE_LINE) {
            WAVE_UNROLL
            for (pd_u32 j = 0u; j < PD_WAVE_LINE; j++)
                wave_line(stage + WAVE_WORDS * (i + j), &d,
                         PD_WAVE_POLY_LINE + (j & 1u) * PD_WAVE_POLY_LINE_MORE, &sum);
        }
#endif
        for (; i < end; i++) wave_line(stage + WAVE_WORDS * i, &d, PD_WAVE_POLY_LINE, &sum);
#endif
        WAVE_ROLL
        while (some != 0u) { // near points of DIRECT: few, so each item goes through its own
            const pd_u32 word = 31u - PD_CLZ(some), bits = late[word * PD_WAVE_WG + l];
            const pd_u32 j = 32u * word + 31u - PD_CLZ(bits);
            wave_local s = stage + WAVE_WORDS * j;
            const pd_f32 near_ = wave_near(s, PD_AS_F32(kept[30]));
            pd_f32 r2[WAVE_POINTS];
            pd_u32 mask = 0u;
            late[word * PD_WAVE_WG + l] = bits & ~(1u << (j & 31u));
            if ((bits & (bits - 1u)) == 0u) some &= ~(1u << word);
            (void)wave_squares(s, &d, PD_AS_F32(kept[30]), r2);
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) mask |= (r2[p] <= near_) ? 1u << p : 0u;
            WAVE_ROLL
            while (mask != 0u) {
                const pd_u32 p = 31u - PD_CLZ(mask);
                pd_two at[3];
#if PD_WAVE_MODE == 2
                pd_f32 way[3], gre[3], gim[3];
                wave_pair f;
#else
                wave_phasor f;
#endif
                mask &= ~(1u << p);
                WAVE_WAY(p, at)
#if PD_WAVE_MODE == 2
                f = wave_wide(s, at, PD_AS_F32(kept[30]), (valid >> p) & 1u, hits, way);
                WAVE_UNROLL
                for (pd_u32 q = 0u; q < 3u; q++) {
                    gre[q] = f.gre * way[q];
                    gim[q] = f.gim * way[q];
                }
                WAVE_SUM(p, f.re, f.im, gre, gim)
#else
                f = wave_wide(s, at, PD_AS_F32(kept[30]), (valid >> p) & 1u, hits);
                WAVE_SUM(p, f.size * f.re, f.size * f.im, 0, 0)
#endif
            }
        }
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
            WAVE_TOTAL_RE(p) += sum.re[p];
            WAVE_TOTAL_IM(p) += sum.im[p];
        }
#if PD_WAVE_MODE == 2
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < 3u * WAVE_POINTS; p++) {
            total.gre[p] += sum.gre[p];
            total.gim[p] += sum.gim[p];
        }
#elif PD_WAVE_MODE == 1
        base = here;
        if (base == last) { // the wave of a frequency is whole: out has a row of points for re, im
            const pd_f32 sign = (kept[5] & WAVE_CONJUGATE) ? -1.0f : 1.0f;
            const pd_u32 row = (PD_GRP * k.groups + band) * 2u * WAVE_POINTS * PD_WAVE_WG + l;
            WAVE_UNROLL
            for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
                const pd_u32 kept_ = (valid >> p) & 1u;
                out[row + p * PD_WAVE_WG] = (kept_ != 0u) ? WAVE_TOTAL_RE(p) : 0.0f;
                out[row + (p + WAVE_POINTS) * PD_WAVE_WG] =
                    (kept_ != 0u) ? sign * WAVE_TOTAL_IM(p) : 0.0f;
                WAVE_TOTAL_RE(p) = WAVE_TOTAL_IM(p) = 0.0f;
            }
            band++;
            last = (band < bands) ? table[band] : 0u;
        }
#endif
    }
    PD_BARRIER();
#if PD_WAVE_MODE == 2
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_u32 at = kept[40] + (first + p * PD_WAVE_WG) * kept[41];
#else
        const pd_u32 at = kept[40] + (i0 + p) * kept[41] + i1 * kept[42] + i2 * kept[43];
#endif
        WAVE_UNROLL
        for (pd_u32 j = 0u; j < 3u; j++) {
            const pd_u32 to = 2u * (at + j * kept[44]);
            const pd_f32 re = total.gre[p + j * WAVE_POINTS], i_ = total.gim[p + j * WAVE_POINTS];
            const pd_f32 im = (kept[5] & WAVE_CONJUGATE) ? -i_ : i_;
            if (!((valid >> p) & 1u) || j >= kept[45]) continue;
            slopes[to] = (kept[5] & WAVE_ACCUMULATE) ? slopes[to] + re : re;
            slopes[to + 1u] = (kept[5] & WAVE_ACCUMULATE) ? slopes[to + 1u] + im : im;
        }
    }
    if (!(kept[5] & WAVE_FIELD)) valid = 0u;
#endif
#if PD_WAVE_MODE != 1
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) { // so that the long loop needs no copy a point
        stage[p * PD_WAVE_WG + l] = WAVE_TOTAL_RE(p);
        stage[(p + WAVE_POINTS) * PD_WAVE_WG + l] = WAVE_TOTAL_IM(p);
    }
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 emit = kept[5] & 255u;
        const pd_f32 re = stage[p * PD_WAVE_WG + l], i_ = stage[(p + WAVE_POINTS) * PD_WAVE_WG + l];
        const pd_f32 im = (kept[5] & WAVE_CONJUGATE) ? -i_ : i_;
#if PD_WAVE_LISTED
        const pd_u32 at = kept[0] + (first + p * PD_WAVE_WG) * kept[1];
#else
        const pd_u32 at = kept[0] + (i0 + p) * kept[1] + i1 * kept[2] +
                          i2 * kept[3];
#endif
        if (!((valid >> p) & 1u)) continue;
        if (emit == 0u && (kept[5] & WAVE_ACCUMULATE)) {
            out[2u * at] += re;
            out[2u * at + 1u] += im;
        } else if (emit == 0u) {
            out[2u * at] = re;
            out[2u * at + 1u] = im;
        } else if (emit < 5u) {
            out[at] = wave_real(emit, re, im);
        } else {
            const pd_f32 v = wave_real(kept[6] & 255u, re, im);
            const pd_u32 pixel = (v == v) ? wave_pixel(table, kept[6], PD_AS_F32(kept[8]),
                                                       PD_AS_F32(kept[9]), PD_AS_F32(kept[10]), v,
                                                       re, im)
                                          : kept[7];
            for (pd_u32 j = 0u; j < 4u; j++)
                pixels[at + j * kept[4]] = (pd_u8)((pixel >> (8u * j)) & 255u);
            low = (v >= -3.4028235e38f && v < low) ? v : low;
            high = (v <= 3.4028235e38f && v > high) ? v : high;
        }
    }
    PD_BARRIER();
#else
    (void)pixels;
#endif
    (void)slopes;
    for (pd_u32 j = 0u; j < 6u; j++)
        stage[j * PD_WAVE_WG + l] = (j < 3u) ? low : (j == 3u) ? high : worst;
    wave_box(stage, l);
    if (l == 0u) {
        const pd_u32 mine = 4u * kept[38];
        report[mine] = hits[0];
        report[mine + 1u] = PD_AS_U32(stage[4u * PD_WAVE_WG]);
        report[mine + 2u] = PD_AS_U32(stage[0]);
        report[mine + 3u] = PD_AS_U32(stage[3u * PD_WAVE_WG]);
    }
}
