// @per-level
#ifndef PADIC_NO_NUM

#if PADICI_ISA_LEVEL == 4
#define PADICI_TWO(name) (kind ? NULL : PADICI_K(name##_odd))
#define PADICI_PICK PADICI_TWO
#else
#define PADICI_TWO(name) (kind == 1 ? PADICI_K(name##_two) : PADICI_K(name##_odd))
#define PADICI_PICK(name) (kind == 2 ? PADICI_K(name##_wide) : PADICI_TWO(name))
#endif

// The kernel of a call for each kind, or NULL.
static padici_simd_num_kernel PADICI_K(find)(const padic_num_call *call, int kind)
{
    const int ring = call->model == PADIC_NUM_RING;
    switch (call->op) {
    case PADIC_OP_NUM_NEG:
    case PADIC_OP_NUM_ADD:
    case PADIC_OP_NUM_SUB:
        if (ring) return call->ring->unit_size == 4 ? PADICI_K(linear32) : PADICI_K(linear64);
        if (call->op == PADIC_OP_NUM_NEG) return PADICI_PICK(float_neg);
        return PADICI_PICK(float_add);
    case PADIC_OP_NUM_MUL:
#if PADICI_ISA_LEVEL >= 2
        if (ring && call->ring->form == PADIC_NUM_W32) return PADICI_K(mul32);
#endif
        return ring ? PADICI_PICK(ring_mul) : PADICI_PICK(float_mul);
    case PADIC_OP_NUM_FMA: return ring ? PADICI_PICK(ring_fma) : PADICI_PICK(float_fma);
    case PADIC_OP_NUM_INV:
    case PADIC_OP_NUM_DIV: return PADICI_PICK(div);
    case PADIC_OP_NUM_VALUATION:
        if (call->other[1]) return NULL; // norms
        if (!ring && call->b.unit) return PADICI_PICK(float_distance);
        return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_OP_NUM_SPLIT: return ring ? PADICI_PICK(ring_split) : PADICI_K(float_split);
    case PADIC_OP_NUM_HORNER:
        if (call->a.scalar) return NULL;
        return ring ? PADICI_PICK(ring_horner) : PADICI_PICK(float_horner);
    default: return NULL;
    }
}

// The same for kinds 0 and 1 only.
static padici_simd_num_kernel PADICI_K(find_small)(const padic_num_call *call, int kind)
{
    if (call->a.scalar || call->b.scalar) return NULL;
    switch (call->op) {
    case PADIC_OP_NUM_TO_DIGITS:
    case PADIC_OP_NUM_FROM_DIGITS:
        if ((call->k & 15) != PADIC_NUM_DIGITS_STANDARD || !call->stride || call->other[2] ||
            (call->dtype != PADIC_U8 && call->dtype != PADIC_U16 && call->dtype != PADIC_U32))
            return NULL;
        return call->op == PADIC_OP_NUM_TO_DIGITS ? PADICI_TWO(digits)
                                                          : PADICI_TWO(of_digits);
    case PADIC_OP_NUM_FROM_FLOAT:
        if (call->k & 255 || call->other[1] ||
            (call->dtype != PADIC_F64 && call->dtype != PADIC_F32))
            return NULL;
        return PADICI_TWO(of_floats);
    case PADIC_OP_NUM_TO_RATIONAL:
        if (call->ring->bits > (PADICI_ISA_LEVEL == 2 ? 52 : 53) || call->stride >> 51 ||
            call->k >> 51)
            return NULL;
        return PADICI_TWO(rational);
    case PADIC_OP_NUM_DOT: return call->model == PADIC_NUM_RING ? PADICI_TWO(ring_dot) : NULL;
    default: return NULL;
    }
}

// The loop that gets its coefficients from padici_num_series_run().
static void PADICI_K(series_loop)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    switch (call->op) {
    case PADIC_OP_NUM_EXP:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(exp), padici_num_exp_words);
        break;
    case PADIC_OP_NUM_LOG:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(log), padici_num_log_words);
        break;
    case PADIC_OP_NUM_SQRT:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(sqrt), padici_num_sqrt_words);
        break;
    default:
        padici_simd_num_ends(call, PADICI_LANES, PADICI_PICK(teichmueller),
                             padici_num_teichmueller_words);
    }
}

static padic_result PADICI_K(series_call)(padic_num_call *call)
{
    const padici_num_tables *t = padici_num_tables_of(call->ring);
    const int kind = padici_simd_num_kind(call->ring), kernel = (int)call->op;
    const padici_root *root = kernel == PADIC_OP_NUM_SQRT ? (const padici_root *)call->options
                                                              : NULL;
    if (call->a.scalar) return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_OP_NUM_SQRT && (kind == 1 ? call->ring->precision < 3 : !t || !t->root))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (kernel == PADIC_OP_NUM_TEICHMUELLER && kind != 1 && (!t || !t->teichmueller))
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_num_series_run(call, root, kernel == PADIC_OP_NUM_EXP, kernel == PADIC_OP_NUM_LOG,
                      PADICI_K(series_loop));
    return PADIC_OK;
}

PADICI_FN padic_result PADICI_K(call)(padic_num_call *call)
{
    const int kind = padici_simd_num_kind(call->ring);
    padici_simd_num_kernel kernel;
    if (call->ring->form == PADIC_NUM_RX) return PADICI_K(limbs_call)(call);
    if (call->ring->form == PADIC_NUM_W128) return PADICI_K(pairs_call)(call);
#if PADICI_ISA_LEVEL == 4
    if (kind) return padici_simd_num_call_avx512(call);
#endif
    if (call->op >= PADIC_OP_NUM_SQRT && call->op <= PADIC_OP_NUM_TEICHMUELLER)
        return PADICI_K(series_call)(call);
    kernel = PADICI_K(find)(call, kind);
    if (!kernel && kind < 2) kernel = PADICI_K(find_small)(call, kind);
    if (call->op == PADIC_OP_NUM_DOT && call->model == PADIC_NUM_FLOAT && kind < 2 &&
        call->count && !call->a.scalar && !call->b.scalar)
        return padici_simd_num_dot(call, PADICI_TWO(float_lanes));
    if (!kernel) return PADIC_ERROR_NOT_SUPPORTED;
    if (call->model == PADIC_NUM_RING && call->status)
        memset(call->status, 0, call->op == PADIC_OP_NUM_DOT ? 1 : (size_t)call->count);
    switch (call->op) {
    case PADIC_OP_NUM_DOT: call->bits |= (*kernel)(call); break;
    case PADIC_OP_NUM_HORNER:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_horner_loop);
        break;
    case PADIC_OP_NUM_TO_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_to_digits_loop);
        break;
    case PADIC_OP_NUM_FROM_DIGITS:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_from_digits_loop);
        break;
    case PADIC_OP_NUM_FROM_FLOAT:
        padici_simd_num_ends(call, PADICI_LANES, kernel, padici_num_from_float_loop);
        break;
    case PADIC_OP_NUM_TO_RATIONAL:
        padici_simd_num_ends(call, 2 * PADICI_LANES, kernel, padici_num_rational_fast);
        break;
    default: call->bits |= padici_simd_num_drive(call, 2 * PADICI_LANES, kernel);
    }
    return PADIC_OK;
}

#endif
