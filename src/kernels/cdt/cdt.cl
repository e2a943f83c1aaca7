// program: cdt
// texts: chain.cl torus.cl sphere.cl measure.cl
// cdt.cl: chains of triangulations, one per work-item: the bytes of src/cdt/chain.c.
//
// variant: PD_CDT_SPHERE=1
// variant: PD_CDT_SQUARE=1
// variant: PD_CDT_SPHERE=1 PD_CDT_SQUARE=1

// Chains diverge, so what counts is how many groups run at once.
#ifndef CDT_WG
#define CDT_WG 32
#endif

PD_FN cdt_chain cdt_load(PD_GPTR(pd_u32) words, PD_GPTR(pd_u64) head,
                         const padic_k_cdt_run_params k)
{
    cdt_chain c;
    c.records = words;
    c.places = words + k.places;
    c.lengths = words + k.lengths;
    c.n = (pd_u32)head[CDT_HEAD_VERTICES];
    c.from = (pd_u32)head[CDT_HEAD_FROM];
    c.to = (pd_u32)head[CDT_HEAD_TO];
    c.target = (pd_u32)head[CDT_HEAD_TARGET];
    c.stream = (pd_u32)head[CDT_HEAD_STREAM];
    c.refused = 0u;
    c.steps = 0;
    c.insert_below = head[CDT_HEAD_INSERT];
    c.insert_above = head[CDT_HEAD_INSERT + 1];
    c.remove_below = head[CDT_HEAD_REMOVE];
    c.remove_above = head[CDT_HEAD_REMOVE + 1];
    c.lambda = head[CDT_HEAD_LAMBDA];
    c.epsilon = head[CDT_HEAD_EPSILON];
    return c;
}

// Attempts of one chain, until it is done or has made its share of steps. busy[1] counts attempts.
PD_FN void cdt_run(PD_GPTR(pd_u32) words, PD_GPTR(pd_u64) head, PD_GPTR(pd_u32) busy,
                   const padic_k_cdt_run_params k)
{
    cdt_chain c = cdt_load(words, head, k);
    const pd_u64 attempt = head[CDT_HEAD_ATTEMPT];
    const pd_u64 left = k.begin ? PD_U64(k.more_lo, k.more_hi) : head[CDT_HEAD_LEFT];
    const pd_u32 goal = (pd_u32)head[CDT_HEAD_GOAL];
    pd_u64 visits = head[CDT_HEAD_VISITS];
    pd_u32 made = 0u, inserts = 0u, deletes = 0u, flipped = 0u, inserted = 0u, deleted = 0u;
    pd_u32 done;
    if (k.arrive && visits && c.n == c.target) visits--;
    for (;;) {
        cdt_words w;
        pd_u32 kind, moved;
        done = k.mode == CDT_GROW ? (c.n >= goal ? 1u : 0u)
                                  : (left == made || (k.mode == CDT_VISITS && !visits) ? 1u : 0u);
        if (done || c.steps >= k.share) break;
        w = cdt_draw(attempt + made, c.stream, k);
        made++;
        c.steps++;
        if (k.mode == CDT_GROW) {
            kind = w.kind >> 29 ? CDT_FLIP : CDT_INSERT;
        } else {
            const pd_u32 at = PD_MULHI32(w.kind, k.moves);
            kind = at < k.flips ? CDT_FLIP : at < k.inserts ? CDT_INSERT : CDT_DELETE;
        }
        if (k.mode == CDT_GROW && kind == CDT_INSERT)
            moved = cdt_grow(&c, w, k);
        else
            moved = cdt_move(&c, kind, w, k);
        inserts += kind == CDT_INSERT ? 1u : 0u;
        deletes += kind == CDT_DELETE ? 1u : 0u;
        flipped += kind == CDT_FLIP ? moved : 0u;
        inserted += kind == CDT_INSERT ? moved : 0u;
        deleted += kind == CDT_DELETE ? moved : 0u;
        if (k.mode == CDT_VISITS && c.n == c.target) visits--;
    }
    if (k.mode == CDT_GROW) cdt_follow(&c, k);
    head[CDT_HEAD_VERTICES] = c.n;
    head[CDT_HEAD_ATTEMPT] = attempt + made;
    head[CDT_HEAD_ATTEMPTS] += made - inserts - deletes;
    head[CDT_HEAD_ATTEMPTS + 1] += inserts;
    head[CDT_HEAD_ATTEMPTS + 2] += deletes;
    head[CDT_HEAD_ACCEPTED] += flipped;
    head[CDT_HEAD_ACCEPTED + 1] += inserted;
    head[CDT_HEAD_ACCEPTED + 2] += deleted;
    if (k.counted) head[CDT_HEAD_REFUSED] += c.refused;
    head[CDT_HEAD_INSERT] = c.insert_below;
    head[CDT_HEAD_INSERT + 1] = c.insert_above;
    head[CDT_HEAD_REMOVE] = c.remove_below;
    head[CDT_HEAD_REMOVE + 1] = c.remove_above;
    if (k.mode != CDT_GROW) head[CDT_HEAD_LEFT] = left - made;
    head[CDT_HEAD_VISITS] = visits;
    if (!done) PD_ATOMIC_MAX_G(busy, k.turn);
    PD_ATOMIC_ADD_G(busy + 1, made);
}

PD_KERNEL_WG(padic_k_cdt_run, CDT_WG)
(PD_BUF(pd_u32, state), PD_BUF(pd_u64, heads), PD_BUF(pd_u32, busy),
 PD_PARAMS(padic_k_cdt_run_params, k))
{
    const pd_u32 i = PD_GRP * k.lanes + PD_LID;
    if (PD_LID < k.lanes && i < k.replicas)
        cdt_run(state + (PD_U64(k.state_lo, k.state_hi) + i * PD_U64(k.stride_lo, k.stride_hi)),
                heads + (pd_u64)i * CDT_HEAD, busy, k);
}
