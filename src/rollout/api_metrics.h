#pragma once
// -------------------------------------------------------------------------------- >>metrics API
//
// Numbers of a frame: what a rollout measures while it runs, or of frames that were kept.

// Of the n = C H W values x of a frame. Sums in f64, in C order: D1; D2 within 1e-6 of the largest
// value that the formula allows. A frame with a value that is not finite has NaN in all columns.
typedef enum padic_rollout_metric {
    PADIC_ROLLOUT_METRIC_ENERGY = 1 << 0,   // sum x^2
    PADIC_ROLLOUT_METRIC_MEAN = 1 << 1,     // m1
    PADIC_ROLLOUT_METRIC_MEAN_ABS = 1 << 2, // sum |x| / n
    PADIC_ROLLOUT_METRIC_MIN = 1 << 3,
    PADIC_ROLLOUT_METRIC_MAX = 1 << 4,
    PADIC_ROLLOUT_METRIC_VARIANCE = 1 << 5, // sum (x - m1)^2 / (n - 1); 0 for n = 1
    PADIC_ROLLOUT_METRIC_SKEWNESS = 1 << 6, // m3 / m2^1.5, m_k = sum (x - m1)^k / n; 0 if m2 = 0
    PADIC_ROLLOUT_METRIC_KURTOSIS = 1 << 7, // m4 / m2^2 - 3; 0 if m2 = 0
    // -sum p ln p over B bins from lo to hi: bin min(B - 1, floor((x - lo) B / (hi - lo))), of
    // values below lo bin 0; 0 if lo = hi
    PADIC_ROLLOUT_METRIC_ENTROPY = 1 << 8,
    // Pearson's r with the frame before; 0 if one of them is constant; NaN for the first frame, and
    // after one with a value that is not finite
    PADIC_ROLLOUT_METRIC_AUTOCORRELATION = 1 << 9,
    // sqrt(sum (x - x of the frame before)^2 / n); NaN likewise
    PADIC_ROLLOUT_METRIC_STEP_NORM = 1 << 10,
    // One column for each band b: sum over the modes with round(|q|) = b, q in cycles per domain,
    // and over channels, of |X_q|^2 / ((H W)^2 C), X the transform of a channel. All bands together
    // have the mean of x^2.
    PADIC_ROLLOUT_METRIC_SPECTRUM = 1 << 11
} padic_rollout_metric;

// Which of them, in which columns: in the order of the bits.
typedef struct padic_rollout_metrics {
    uint32_t metrics;     // padic_rollout_metric; 0: all but SPECTRUM
    uint32_t per_channel; // 1: of each channel alone (n = H W, C = 1 above), the columns of channel
                          // 0 first
    uint32_t bins;        // B of ENTROPY, at most 65,536; 0: 50
    uint32_t bands;       // of SPECTRUM, from 0 on, at most 65,536; 0: all of the grid
    const float *range;   // lo, hi of ENTROPY, finite, lo < hi; NULL: the frame's min and max
} padic_rollout_metrics;

// Returns R, the columns of frames of C channels of H x W cells; 0 if the metrics make no sense:
// unknown bits, a range without lo < hi, too many bins, bands or columns (2^31).
PADIC_API uint32_t padic_rollout_metrics_count(const padic_rollout_metrics *metrics,
                                               uint64_t channels, uint64_t height, uint64_t width);

// The metrics of frames, trajectory by trajectory, by the code that measures while a rollout runs:
// the same bits, of F32 frames. `frames` (.., F, C, H, W) and `out` (.., F, R) begin with the same
// axes, of which there are up to 4. A device does dense F32 frames, as it measures in a rollout: up
// to 2,048 bins, SPECTRUM of up to 2,048 rows and columns.
// Errors: DTYPE, MISMATCH (rank, shape, columns), ARGUMENT (metrics), LIMIT, MEMORY, OVERLAP. No
// frame, or frames without cells: done at once.
typedef struct padic_rollout_reduce_desc {
    padic_tensor frames; // F32, F16 or BF16, any strides
    padic_tensor out;    // F32
    padic_rollout_metrics metrics;
} padic_rollout_reduce_desc;
PADIC_API padic_result padic_rollout_reduce(padic_context *context,
                                            const padic_rollout_reduce_desc *desc);
