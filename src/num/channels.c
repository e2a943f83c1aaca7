// ------------------------------------------------------------------------------ >>channels impl

// A loop over dense tensors of one count, as padici_num_run() is one over arrays of numbers.
#define PADICI_SWEEP_TENSORS 5
typedef struct padici_sweep {
    const void *desc; // of the operation
    const char *name;
    const char *field[PADICI_SWEEP_TENSORS];
    void (*loop)(struct padici_sweep *sweep, uint32_t piece, uint64_t first, uint64_t end);
    const padic_tensor *tensor[PADICI_SWEEP_TENSORS]; // NULL: none; status is the last one
    uint32_t allowed[PADICI_SWEEP_TENSORS];           // dtypes, 1 << dtype
    uint32_t out;                                    // bit j: tensor j is written
    void *data[PADICI_SWEEP_TENSORS];
    uint32_t size[PADICI_SWEEP_TENSORS]; // of an element
    uint32_t *sticky;
    padici_num_range range[PADICI_SWEEP_TENSORS + 4]; // of memory; more may be added
    uint32_t ranges;
    uint64_t count, chunk;
    uint32_t bits[PADICI_NUM_CHUNKS]; // of each piece
    uint64_t tally[PADICI_NUM_CHUNKS][2];
} padici_sweep;

#define PADICI_SWEEP_STATUS (PADICI_SWEEP_TENSORS - 1)
#define PADICI_FLOATS (1u << PADIC_F16 | 1u << PADIC_BF16 | 1u << PADIC_F32 | 1u << PADIC_F64)

static void padici_sweep_begin(padici_sweep *sweep, const char *name, const void *desc,
                              void (*loop)(padici_sweep *sweep, uint32_t piece, uint64_t first,
                                           uint64_t end))
{
    memset(sweep, 0, sizeof *sweep);
    sweep->name = name;
    sweep->desc = desc;
    sweep->loop = loop;
}

static void padici_sweep_tensor(padici_sweep *sweep, uint32_t j, const char *field,
                                const padic_tensor *tensor, uint32_t allowed, uint32_t out)
{
    sweep->field[j] = field;
    sweep->tensor[j] = tensor;
    sweep->allowed[j] = allowed;
    sweep->out |= out << j;
}

static void padici_sweep_status(padici_sweep *sweep, const padic_tensor *status, uint32_t *sticky)
{
    if (status->dtype || status->data)
        padici_sweep_tensor(sweep, PADICI_SWEEP_STATUS, "status", status, 1u << PADIC_U8, 1);
    sweep->sticky = sticky;
}

// Looks at the tensors and finds their memory; `count` is that of tensor 0. Two may be the same
// memory only if they have one dtype and `alike` has the bits of both.
static padic_result padici_sweep_check(padic_context *context, padici_sweep *sweep, uint32_t alike)
{
    uint32_t j;
    padic_result result = padici_tensor_check_shape(sweep->tensor[0], &sweep->count);
    padici_blame(context, result, sweep->field[0], NULL, NULL);
    for (j = 0; !result && j < PADICI_SWEEP_TENSORS; j++) {
        const padic_tensor *t = sweep->tensor[j];
        if (!t) continue;
        result = padici_num_plane(context, t, sweep->count, sweep->allowed[j], &sweep->data[j]);
        padici_blame(context, result, sweep->field[j], NULL, NULL);
        sweep->size[j] = padic_dtype_size(t->dtype);
        padici_num_range_add(sweep->range, &sweep->ranges, sweep->data[j],
                             sweep->count * sweep->size[j], alike >> j & 1 ? (uint32_t)t->dtype : 0,
                             sweep->out >> j & 1);
    }
    padici_num_range_add(sweep->range, &sweep->ranges, sweep->sticky, sizeof(uint32_t), 0, 1);
    return result ? result : padici_num_overlap(sweep->range, sweep->ranges);
}

static void padici_sweep_piece(void *arg, uint32_t piece)
{
    padici_sweep *sweep = (padici_sweep *)arg;
    const uint64_t first = piece * sweep->chunk, left = sweep->count - first;
    (*sweep->loop)(sweep, piece, first, first + (left < sweep->chunk ? left : sweep->chunk));
}

static padic_result padici_sweep_run(padic_context *context, padici_sweep *sweep)
{
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t pieces = jobs && jobs->workers > 1 ? (sweep->count >> 12) + 1 : 1;
    uint32_t j, bits = 0;
    if (!sweep->count) return PADIC_OK;
    if (pieces > PADICI_NUM_CHUNKS) pieces = PADICI_NUM_CHUNKS;
    sweep->chunk = ((sweep->count + pieces - 1) / pieces + 63) & ~UINT64_C(63);
    pieces = (sweep->count + sweep->chunk - 1) / sweep->chunk;
    padici_parallel(jobs, (uint32_t)pieces, padici_sweep_piece, sweep);
    for (j = 0; j < pieces; j++) bits |= sweep->bits[j];
    if (sweep->sticky) *sweep->sticky |= bits;
    if (bits & PADIC_NUM_HARD && !sweep->sticky && !sweep->data[PADICI_SWEEP_STATUS])
        return padici_fail_in(context, PADIC_ERROR_DOMAIN, sweep->name, PADICI_NUM_SILENT);
    return PADIC_OK;
}

PADICI_INLINE void padici_sweep_note(padici_sweep *sweep, uint32_t piece, uint64_t i, uint32_t bits)
{
    uint8_t *status = (uint8_t *)sweep->data[PADICI_SWEEP_STATUS];
    if (status) status[i] = (uint8_t)bits;
    sweep->bits[piece] |= bits;
}

PADICI_INLINE int padici_float_finite(padic_dtype dtype, uint64_t bits)
{
    const padici_format f = padici_format_of(dtype);
    return (~bits >> f.mantissa & ((UINT64_C(1) << f.exponent) - 1)) != 0;
}

// |x| = m 2^e for finite bits, and the sign bit.
PADICI_INLINE uint32_t padici_float_parts(padic_dtype dtype, uint64_t bits, uint64_t *m, int32_t *e)
{
    const padici_format f = padici_format_of(dtype);
    const uint32_t biased = (uint32_t)(bits >> f.mantissa) & ((1u << f.exponent) - 1);
    *m = (bits & ((UINT64_C(1) << f.mantissa) - 1)) | (uint64_t)(biased != 0) << f.mantissa;
    *e = (int32_t)(biased + (biased == 0)) - (int32_t)((1u << (f.exponent - 1)) - 1 + f.mantissa);
    return (uint32_t)(bits >> (f.mantissa + f.exponent)) & 1;
}

