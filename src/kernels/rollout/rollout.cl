// program: rollout
// texts: number.cl each.cl random.cl noise.cl policy.cl
// rollout.cl: what follows an evaluation: policy, check, post, frames. X is made and looked at, by
// groups of 1,024 cells of a channel; then it is decided what becomes of a trajectory; then that is
// done.
#define ROLLOUT_PARTIAL 7u // numbers of a group: bad, most, low, high, mean, squares
#define ROLLOUT_DECIDED 5u // of a part: what is taken away, what by, two words each; whether, and
                           // what times before that

#define ROLLOUT_GO 0u // what becomes of a trajectory
#define ROLLOUT_HOLD 1u
#define ROLLOUT_DROP 2u

typedef struct {
    pd_u32 channels, cells, chunks;
    pd_u32 begin, initial, initials, realisations, own; // begin: X is an initial condition
    pd_u32 first, per_operator, policy; // policy: words of `tables`
    pd_u32 a[4], x, o, partial, step;
} padic_k_rollout_step_params;

// What numbers of this size are multiplied by, so that no sum of squares of them, nor a difference,
// leaves f32.
PD_FN pd_f32 rollout_post_unit(pd_f32 most)
{
    return most > PD_AS_F32(0x53800000u) ? PD_AS_F32(0x17800000u) : 1.0f; // 2^40, 2^-80
}

// Of rows bad, most, low, high the largest, largest, least, largest of all items.
ROLLOUT_FN void rollout_extremes(PD_LPTR(pd_f32) room)
{
    for (pd_u32 apart = ROLLOUT_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart)
            for (pd_u32 row = 0u; row < 4u; row++) {
                const pd_u32 i = row * ROLLOUT_WG + PD_LID;
                const pd_f32 here = room[i], other = room[i + apart];
                if (row == 2u ? other < here : other > here) room[i] = other;
            }
        PD_BARRIER();
    }
}

PD_FN void rollout_extremes_put(PD_LPTR(pd_f32) room, pd_f32 bad, pd_f32 most, pd_f32 low,
                                pd_f32 high)
{
    room[PD_LID] = bad;
    room[ROLLOUT_WG + PD_LID] = most;
    room[2 * ROLLOUT_WG + PD_LID] = low;
    room[3 * ROLLOUT_WG + PD_LID] = high;
}

PD_KERNEL_WG(padic_k_rollout_step, ROLLOUT_WG)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, initial), PD_CBUF(pd_u32, tables), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_step_params, k))
{
    PD_LOCAL pd_f32 room[4 * ROLLOUT_WG]; // of sums, too
    const pd_u32 c = PD_GRP_Y, first = PD_GRP * ROLLOUT_CELLS, of = PD_GRP_Z * k.step;
    const pd_u32 count = k.cells - first < ROLLOUT_CELLS ? k.cells - first : ROLLOUT_CELLS;
    const pd_u32 trajectory = k.first + PD_GRP_Z, n = trajectory / k.per_operator;
    const pd_u32 field = k.own > 0u ? n : trajectory / k.realisations % k.initials;
    const pd_u32 map = k.a[ROLLOUT_MAP] > 0u ? k.a[ROLLOUT_MAP] + of + c : 0u;
    const pd_u32 at = c * k.cells + first, to = k.partial + of +
                                                ROLLOUT_PARTIAL * (c * k.chunks + PD_GRP);
    const pd_f32 infinity = PD_AS_F32(0x7f800000u);
    pd_f32 bad = 0.0f, most = 0.0f, low = infinity, high = -infinity;
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        pd_f32 x;
        if (k.begin > 0u) {
            x = initial[k.initial + field * k.channels * k.cells + at + i];
        } else {
            x = rollout_mapped(a, a[k.a[ROLLOUT_AT] + PD_GRP_Z * k.a[ROLLOUT_STEP] + at + i], map,
                               k.channels, k.a[ROLLOUT_ACT]);
            x = rollout_policy(tables, k.policy + ROLLOUT_POLICY * n, a[k.x + of + at + i], x);
        }
        out[k.o + of + at + i] = x;
        if (!(x - x == 0.0f)) bad = 1.0f;
        else if (PD_FABS(x) > most) most = PD_FABS(x);
        if (x < low) low = x;
        if (x > high) high = x;
    }
    rollout_extremes_put(room, bad, most, low, high);
    PD_BARRIER();
    rollout_extremes(room);
    if (PD_LID < 4u) out[to + PD_LID] = room[PD_LID * ROLLOUT_WG];
    most = room[ROLLOUT_WG];
    PD_BARRIER();
    rollout_cells_moments(room, out, k.o + of + at, count, to + 4u, 1u, rollout_post_unit(most));
}

typedef struct {
    pd_u32 parts, each, chunks, cells; // parts of a state with a post of their own, groups of each
    pd_u32 t, failure, post, status;
    pd_u32 first, per_operator;
    pd_u32 o, partial, decided, step;
    pd_u32 clock; // word of `faulty` with t, plus 1; 0: k.t
    pd_f32 limit;
} padic_k_rollout_judge_params;

// a/b, rounded about once.
PD_FN pd_f32 rollout_over(const pd_two a, const pd_two b)
{
    const pd_f32 first = a.hi / b.hi;
    const pd_two left = pd_two_sub(a, pd_two_mul1(b, first));
    return first - first == 0.0f && b.hi - b.hi == 0.0f ? first + left.hi / b.hi : first;
}

// How the numbers of a part, times `unit`, become normal, from their moments, extremes and the
// first of them.
PD_FN void rollout_decide(PD_GPTR(pd_f32) fields, PD_LPTR(const pd_f32) moments,
                          PD_LPTR(const pd_f32) extremes, pd_u32 at, pd_f32 number, pd_u32 post,
                          pd_f32 unit)
{
    const pd_two tiny = pd_two_raw(PD_AS_F32(0x322bcc77u) * unit,
                                   PD_AS_F32(0x248c230eu) * unit); // 1e-8
    pd_two away = pd_two_raw(moments[ROLLOUT_WG], moments[2 * ROLLOUT_WG]), by;
    pd_u32 is = 1u;
    if (post == 1u) {
        away = pd_two_raw(extremes[2 * ROLLOUT_WG] * unit, 0.0f);
        by = pd_two_sum(extremes[3 * ROLLOUT_WG] * unit, -away.hi);
        is = by.hi > tiny.hi || (!(by.hi < tiny.hi) && by.lo > tiny.lo) ? 1u : 0u;
        if (!(number - number == 0.0f) && !(number > 0.0f) && !(number < 0.0f)) is = 0u; // NaN
    } else {
        by = pd_two_add(pd_two_raw(PD_SQRT(moments[3 * ROLLOUT_WG] / moments[0]), 0.0f), tiny);
    }
    fields[at] = away.hi;
    fields[at + 1u] = away.lo;
    fields[at + 2u] = by.hi;
    fields[at + 3u] = by.lo;
    fields[at + 4u] = (pd_f32)is * unit;
}

// The status of a trajectory, and what becomes of it.
PD_FN pd_u32 rollout_status(PD_GPTR(pd_u32) status, PD_GPTR(const pd_u32) faulty, pd_u32 at,
                            pd_f32 bad, pd_f32 size, const padic_k_rollout_judge_params k)
{
    const pd_u32 t = k.clock > 0u ? faulty[k.clock - 1u] : k.t;
    const pd_u32 n = (k.first + PD_GRP) / k.per_operator, begin = t == 0u ? 1u : 0u;
    const pd_u32 was = begin ? 0u : status[at];
    const pd_f32 before = begin ? 0.0f : PD_AS_F32(status[at + 2u]);
    const pd_f32 most = size > before ? size : before;
    pd_u32 code = bad > 0.0f || (begin && faulty[n] > 0u) ? 1u : 0u;
    if (was > 0u) return k.failure > 0u ? ROLLOUT_HOLD : ROLLOUT_GO;
    if (code == 0u && most > k.limit) code = 2u;
    status[at] = code;
    status[at + 1u] = code > 0u ? t : 0u;
    status[at + 2u] = PD_AS_U32(most);
    if (code == 0u) status[at + 3u] = t;
    else if (begin) status[at + 3u] = 0xffffffffu;
    if (code == 0u || k.failure == 0u) return ROLLOUT_GO;
    return !begin && k.failure == 1u ? ROLLOUT_HOLD : ROLLOUT_DROP;
}

PD_KERNEL_WG(padic_k_rollout_judge, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_BUF(pd_u32, status), PD_CBUF(pd_u32, faulty),
 PD_PARAMS(padic_k_rollout_judge_params, k))
{
    PD_LOCAL pd_f32 moments[4 * ROLLOUT_WG];
    PD_LOCAL pd_f32 extremes[4 * ROLLOUT_WG];
    const pd_u32 of = PD_GRP * k.step, decided = k.decided + of;
    const pd_f32 infinity = PD_AS_F32(0x7f800000u);
    pd_f32 bad = 0.0f, most = 0.0f;
    for (pd_u32 part = 0u; part < k.parts; part++) {
        rollout_moments m = rollout_moments_of(0.0f, 0.0f, 0.0f, 0.0f);
        pd_f32 low = infinity, high = -infinity, unit;
        for (pd_u32 e = PD_LID; e < k.each; e += ROLLOUT_WG) {
            const pd_u32 at = k.partial + of + ROLLOUT_PARTIAL * (part * k.each + e);
            if (fields[at] > bad) bad = fields[at];
            if (fields[at + 1u] > most) most = fields[at + 1u];
            if (fields[at + 2u] < low) low = fields[at + 2u];
            if (fields[at + 3u] > high) high = fields[at + 3u];
        }
        PD_BARRIER();
        rollout_extremes_put(extremes, bad, most, low, high);
        PD_BARRIER();
        rollout_extremes(extremes);
        low = PD_FABS(extremes[2 * ROLLOUT_WG]);
        high = PD_FABS(extremes[3 * ROLLOUT_WG]);
        unit = rollout_post_unit(high > low ? high : low);
        for (pd_u32 e = PD_LID; e < k.each; e += ROLLOUT_WG) {
            const pd_u32 chunk = part * k.each + e;
            const pd_u32 at = k.partial + of + ROLLOUT_PARTIAL * chunk;
            const pd_u32 left = k.cells - chunk % k.chunks * ROLLOUT_CELLS;
            const pd_f32 more = rollout_post_unit(fields[at + 1u]) < 1.0f ? 1.0f : unit;
            m = rollout_merge(m, rollout_moments_of((pd_f32)(left < ROLLOUT_CELLS ? left
                                                                                 : ROLLOUT_CELLS),
                                                    fields[at + 4u] * more, fields[at + 5u] * more,
                                                    fields[at + 6u] * more * more));
        }
        rollout_gather_put(moments, m);
        PD_BARRIER();
        rollout_gather(moments);
        if (PD_LID == 0u && k.post > 0u)
            rollout_decide(fields, moments, extremes, decided + 1u + ROLLOUT_DECIDED * part,
                           fields[k.o + of + part * (k.each / k.chunks) * k.cells], k.post, unit);
    }
    if (PD_LID == 0u) {
        const pd_u32 what = rollout_status(status, faulty, k.status + 4u * (k.first + PD_GRP),
                                           extremes[0], extremes[ROLLOUT_WG], k);
        fields[decided] = (pd_f32)what;
    }
}

typedef struct {
    pd_u32 channels, cells, post, own; // own: each channel has a post of its own
    pd_u32 clamp, wanted, frame, frames, out_low, out_high; // wanted: a frame is
    pd_u32 first, x, o, decided, step;
    pd_f32 below, low, above, high; // x < below becomes low, x > above high
} padic_k_rollout_keep_params;

PD_KERNEL_WG(padic_k_rollout_keep, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rollout_keep_params, k))
{
    const pd_u32 c = PD_GRP_Y, first = PD_GRP * ROLLOUT_CELLS, of = PD_GRP_Z * k.step;
    const pd_u32 count = k.cells - first < ROLLOUT_CELLS ? k.cells - first : ROLLOUT_CELLS;
    const pd_u32 at = c * k.cells + first, decided = k.decided + of;
    const pd_u32 part = decided + 1u + ROLLOUT_DECIDED * (k.own > 0u ? c : 0u);
    const pd_u32 what = (pd_u32)fields[decided];
    const pd_u64 frame = (pd_u64)(k.first + PD_GRP_Z) * k.frames + k.frame;
    const pd_u64 to = PD_U64(k.out_low, k.out_high) + frame * ((pd_u64)k.channels * k.cells) + at;
    pd_two away = pd_two_raw(0.0f, 0.0f), by = pd_two_raw(1.0f, 0.0f);
    pd_f32 unit = 0.0f; // 0: x stays
    if (k.post > 0u) {
        away = pd_two_raw(fields[part], fields[part + 1u]);
        by = pd_two_raw(fields[part + 2u], fields[part + 3u]);
        unit = fields[part + 4u];
    }
    for (pd_u32 i = PD_LID; i < count; i += ROLLOUT_WG) {
        pd_f32 x = fields[k.o + of + at + i];
        if (unit > 0.0f) x = rollout_over(pd_two_sub(pd_two_raw(x * unit, 0.0f), away), by);
        if (k.clamp > 0u && x < k.below) x = k.low;
        if (k.clamp > 0u && x > k.above) x = k.high;
        if (what == ROLLOUT_HOLD) x = fields[k.x + of + at + i];
        if (what == ROLLOUT_DROP) x = PD_AS_F32(0x7fc00000u);
        fields[k.x + of + at + i] = x;
        if (k.wanted > 0u) out[to + i] = x;
    }
}

// ---- the step of a plan, which is in device memory

typedef struct {
    pd_u32 tables, faulty, begin; // words; begin: it is 0, else one more
} padic_k_rollout_tick_params;

PD_KERNEL_WG(padic_k_rollout_tick, ROLLOUT_WG)
(PD_BUF(pd_u32, tables), PD_BUF(pd_u32, faulty), PD_PARAMS(padic_k_rollout_tick_params, k))
{
    if (PD_LID == 0u) {
        const pd_u32 t = k.begin > 0u ? 0u : tables[k.tables] + 1u;
        tables[k.tables] = t;
        faulty[k.faulty] = t;
    }
}
