#pragma once
// -------------------------------------------------------------------------------- >>initial API
//
// Random fields: the noise of a rollout, and its initial conditions. Random numbers are addressed,
// by (seed; stream; step; element), so that no field depends on a batch, an order or a device's
// threads. The stream is (realisation << 12 | site << 4 | purpose) << 32 | id. Element e has word
// e % 4 of block e / 4; words become variables by padic_random_normal() and _laplace().
//
// A spectrum S makes Gaussian fields on H x W cells: with integers q = (q_x, q_y), cycles per
// domain, and k = 2 pi (q_x / W, q_y / H), radians per cell,
//
//     f(x) = sigma sum_q A_q z_q e^(i k.x),  A_q^2 = S(q) / sum S,  z_-q = conj z_q,
//     z_q = (n_0 + i n_1) / sqrt 2,  z_0 = n_0
//
// over all q but the Nyquist lines of even sizes. The variance, over realisations, is sigma^2
// exactly. n_0 and n_1 are of words 0 and 1 of block r(q) C + c, c the channel of C, where r is
// the rank of q in the half plane (q_x > 0, or q_x = 0 and q_y >= 0) by shells s = max(|q_x|,
// |q_y|): r = ((2 s - 1)^2 + 1)/2 + place in the shell (0 for q = 0), its 4 s places being (0, s),
// the upper edge to (s, s), the right edge down to (s, -s), the lower edge back to (1, -s). So
// fields of two sizes have the same large scales. One inverse transform for each field, in f64.
//
// Common errors: DTYPE, MISMATCH (rank, shape), ARGUMENT, LIMIT, MEMORY, OVERLAP; then nothing is
// written. Where there is nothing to write the call is done at once.

typedef enum padic_rollout_spectrum_kind {
    // exp(-k^2 ell^2 / 2): covariance exp(-r^2 / (2 ell^2)); ell 0: all q alike
    PADIC_ROLLOUT_SPECTRUM_GAUSSIAN = 0,
    PADIC_ROLLOUT_SPECTRUM_MATERN = 1, // (2 nu / ell^2 + k^2)^-(nu + 1)
    PADIC_ROLLOUT_SPECTRUM_POWER = 2,  // |q|^-alpha, and 0 for q = 0
    PADIC_ROLLOUT_SPECTRUM_BAND = 3    // 1 for low <= |q| < high, else 0
} padic_rollout_spectrum_kind;

typedef struct padic_rollout_spectrum {
    padic_rollout_spectrum_kind kind;
    double ell;       // correlation length in cells, 0 or above; of MATERN above 0
    double nu;        // of MATERN: smoothness; 0: 1
    double alpha;     // of POWER: exponent of the power spectrum in two dimensions
    double low, high; // of BAND, cycles per domain
} padic_rollout_spectrum;

// ---- noise

typedef enum padic_rollout_noise_type {
    PADIC_ROLLOUT_NOISE_GAUSSIAN = 0,       // x + s n
    PADIC_ROLLOUT_NOISE_LAPLACE = 1,        // x + s l, l of density e^-|l| / 2: variance 2 s^2
    PADIC_ROLLOUT_NOISE_MULTIPLICATIVE = 2, // x (1 + s n)
    PADIC_ROLLOUT_NOISE_DROPOUT = 3 // each channel whole: 0 with probability s, else x / (1 - s)
} padic_rollout_noise_type;

// What s is at frame t of T.
typedef enum padic_rollout_noise_schedule {
    PADIC_ROLLOUT_NOISE_CONSTANT = 0,  // scale
    PADIC_ROLLOUT_NOISE_ANNEALING = 1, // scale max(0, 1 - t / T)
    PADIC_ROLLOUT_NOISE_PERIODIC = 2   // scale (1 + sin(2 pi t / period) / 2)
} padic_rollout_noise_schedule;

typedef struct padic_rollout_noise_law {
    padic_rollout_noise_type type;
    padic_rollout_noise_schedule schedule;
    const double *scale; // 0 or above, of DROPOUT below 1 at all times; NULL: 0.01
    double period;       // of PERIODIC, in frames; 0: 100
    // Correlation length in cells; 0: white. Above 0: n is a field with the spectrum GAUSSIAN of
    // this ell, of unit variance; LAPLACE maps it by the quantiles, l = sign(n) ln(1 / erfc(|n| /
    // sqrt 2)). DROPOUT has none: ARGUMENT.
    double length;
} padic_rollout_noise_law;

// One node of noise on fields of M realisations. White noise takes element (c H + y) W + x, of
// purpose 4; DROPOUT element c, of purpose 5, and leaves out where padic_random_f32() < s. s is
// computed in f64 and rounded once. White noise of schedules CONSTANT and ANNEALING is D0, other
// noise D1 and D2 within 1e-6 of the largest |s n|.
typedef struct padic_rollout_noise_desc {
    padic_tensor field; // (M, C, H, W) or (C, H, W), F32, any strides
    padic_tensor out;   // the same; may be `field`, as the same view
    padic_rollout_noise_law law;
    uint64_t seed;
    uint32_t id;          // of the operator
    uint32_t realisation; // of field 0; the others count on, all below 2^20: else LIMIT
    uint32_t site;        // node, below 256
    uint32_t step;        // t: the frame being made
    uint32_t frames;      // T of ANNEALING, where 0 is ARGUMENT
} padic_rollout_noise_desc;
PADIC_API padic_result padic_rollout_noise(padic_context *context,
                                           const padic_rollout_noise_desc *desc);

// ---- initial conditions

typedef enum padic_rollout_initial_kind {
    PADIC_ROLLOUT_INITIAL_ZERO = 0,
    PADIC_ROLLOUT_INITIAL_CONSTANT = 1,   // value
    PADIC_ROLLOUT_INITIAL_SPECTRAL = 2,   // one spectrum
    PADIC_ROLLOUT_INITIAL_MULTISCALE = 3, // terms: independent fields, added
    PADIC_ROLLOUT_INITIAL_WHITE = 4,      // sigma n of each cell, element (c H + y) W + x
    PADIC_ROLLOUT_INITIAL_HEAVY = 5,      // a spectrum's field of variance 1, mapped to tails
    PADIC_ROLLOUT_INITIAL_WAVES = 6,      // sum a_j cos(2 pi (q_x x/W + q_y y/H) + phase_j)
    PADIC_ROLLOUT_INITIAL_RADIAL = 7,     // sigma cos(k r + phase) exp(-r^2 / (2 width^2))
    PADIC_ROLLOUT_INITIAL_PACKET = 8,     // channel 0 re, 1 im, 2 |.|^2 of psi, and again; psi =
                                          // sigma exp(-r^2 / (4 width^2)) e^(i (k.x + phase))
    PADIC_ROLLOUT_INITIAL_TURING = 9,     // cosines of one wavelength
    PADIC_ROLLOUT_INITIAL_SPIRAL = 10,    // sigma sin(k r - arms theta + phase)
    PADIC_ROLLOUT_INITIAL_TARGET = 11,    // sigma sin(k r + phase)
    PADIC_ROLLOUT_INITIAL_DISCS = 12,     // sigma sum a_j [r_j < R_j]
    PADIC_ROLLOUT_INITIAL_BLOBS = 13,     // sigma sum a_j exp(-r_j^2 / (2 R_j^2))
    PADIC_ROLLOUT_INITIAL_STRIPES = 14,   // sigma sum a_j [distance to a line through j < R_j]
    PADIC_ROLLOUT_INITIAL_STRUCTURED = 15, // each j one of those three, by `weights`
    PADIC_ROLLOUT_INITIAL_FRONT = 16,     // sigma tanh(d / (sqrt 2 width)); width 0: sigma sign(d)
    PADIC_ROLLOUT_INITIAL_GRADIENT = 17,  // sigma (decay(r) + fraction g)
    PADIC_ROLLOUT_INITIAL_CELLS = 18,     // sigma sum exp(-r_j^2 / (2 width^2)), no two points
                                          // nearer than `radius`
    PADIC_ROLLOUT_INITIAL_CLUSTER = 19,   // sigma on a cluster of `count` cells, else 0
    PADIC_ROLLOUT_INITIAL_BLOCKS = 20     // blocks of +-sigma, with cells whose sign is changed
} padic_rollout_initial_kind;

// To what quantiles a Gaussian field is mapped, with unit variance by the closed form.
typedef enum padic_rollout_tails {
    PADIC_ROLLOUT_TAILS_LAPLACE = 0,
    PADIC_ROLLOUT_TAILS_STUDENT = 1 // of `freedom` degrees, above 2
} padic_rollout_tails;

typedef enum padic_rollout_turing {
    PADIC_ROLLOUT_TURING_STRIPES = 0,  // one direction
    PADIC_ROLLOUT_TURING_SPOTS = 1,    // three, 60 degrees apart
    PADIC_ROLLOUT_TURING_LABYRINTH = 2 // `count` random ones
} padic_rollout_turing;

// d of a FRONT.
typedef enum padic_rollout_front {
    PADIC_ROLLOUT_FRONT_LINE = 0,   // (x, y) . (cos angle, sin angle), from `centre`
    PADIC_ROLLOUT_FRONT_CIRCLE = 1, // radius - r
    PADIC_ROLLOUT_FRONT_LEVEL = 2   // g / |grad g|, g the field of `spectrum`: the distance to its
                                    // level 0 to first order; central differences, periodic
} padic_rollout_front;

// A GRADIENT's decay with the distance r from `centre`; g is the field of `spectrum`.
typedef enum padic_rollout_decay {
    PADIC_ROLLOUT_DECAY_EXPONENTIAL = 0, // exp(-r / width)
    PADIC_ROLLOUT_DECAY_POWER = 1,       // (1 + r / width)^-exponent
    PADIC_ROLLOUT_DECAY_LOGISTIC = 2     // 1 / (1 + exp((r - radius) / width))
} padic_rollout_decay;

// A random number of a word w, u = padic_random_f32(w).
typedef enum padic_rollout_draw {
    PADIC_ROLLOUT_DRAW_CONSTANT = 0, // a
    PADIC_ROLLOUT_DRAW_UNIFORM = 1,  // a + u (b - a)
    PADIC_ROLLOUT_DRAW_NORMAL = 2,   // a + b padic_random_normal(w)
    PADIC_ROLLOUT_DRAW_LOG = 3       // a (b / a)^u; both above 0
} padic_rollout_draw;

typedef struct padic_rollout_number {
    padic_rollout_draw draw;
    double a, b;
} padic_rollout_number;

typedef struct padic_rollout_initial_term {
    padic_rollout_spectrum spectrum;
    double variance; // 0 or above; sigma multiplies the sum of all
} padic_rollout_initial_term;

typedef struct padic_rollout_wave {
    double amplitude, phase;
    int32_t x, y; // cycles per domain
} padic_rollout_wave;

// Fields of I initial conditions, each of C channels, from (seed; purpose 6, realisation 0, site 0;
// id; step 0). The stream's id is that of the field. Fields depend on nothing else but the sizes.
// Those of WHITE are D0, all others D1 and D2 within 1e-6 of sigma (HEAVY: of the largest value).
//
// TURING adds J cosines of wave number 2 pi / wavelength, J = 1, 3 or `count`, each of amplitude
// sigma sqrt(2 / J), so of variance sigma^2 over phases. Word 0 of block j C + c is its phase, word
// 1 its direction's angle, in parts of 2 pi on the grid 2^-24; SPOTS take direction 0 and those 60
// and 120 degrees from it. Distances r are from `centre`, not periodic.
//
// DISCS to STRUCTURED have `count` objects. Object j of channel c takes block 2 (j C + c): words 0
// and 1 are its place, x = W u, y = H u, word 2 its R (none if R <= 0), word 3 its a; and of the
// next block word 0 the angle of a stripe's normal, 2 pi u, word 1 what it is in STRUCTURED: the
// first kind whose weights up to it sum to more than u times the sum of all. Distances are to the
// nearest image, unless `open`.
//
// CELLS tries places until there are `count`, at most 32 count of them: place t by words 0 and 1 of
// block t C + c. CLUSTER (Eden 1961) begins at the cell nearest to the centre; each step takes
// place floor(w length / 2^32) of the list of empty neighbours, w word n % 4 of block (n / 4) C + c
// for step n from 1 on; the last of the list comes to that place, and new neighbours (left, right,
// up, down) go to its end. BLOCKS are squares of `count` cells a side; block b = by ceil(W / count)
// + bx is -sigma where the lowest bit of word b % 4 of block (b / 4) C + c is set, and a cell
// changes sign where padic_random_f32() < fraction, of site 1, element (c H + y) W + x.
typedef struct padic_rollout_initial_desc {
    padic_tensor out; // (I, C, H, W) or (C, H, W), F32, any positive strides
    padic_rollout_initial_kind kind;
    // 1: each channel of each field is scaled to mean 0 and variance 1 of its own cells (all 0
    // where it is constant), whatever sigma is
    uint32_t exact;
    uint64_t seed;
    uint32_t id;         // of field 0; field i has id + i, modulo 2^32
    const double *sigma; // standard deviation, or amplitude; NULL: 1
    double value;        // of CONSTANT
    padic_rollout_spectrum spectrum;         // of SPECTRAL, HEAVY
    const padic_rollout_initial_term *terms; // of MULTISCALE; term j is of site j
    const padic_rollout_wave *waves;         // of WAVES
    uint32_t count; // of terms (1 to 256), of waves, of the labyrinth's directions (0: 16; at most
                    // 4096), of objects and CELLS (at most 4096), of a CLUSTER's cells (beyond the
                    // grid: all), of a block's side (above 0)
    padic_rollout_tails tails;
    double freedom; // of STUDENT; 0: 3
    padic_rollout_turing turing;
    double wavelength;    // of TURING, in cells, above 0
    double k[2];          // of PACKET (x, y), of RADIAL, SPIRAL and TARGET k[0]: radians per cell
    double phase, width;  // width in cells, above 0; of a FRONT 0 or above
    int32_t arms;         // of SPIRAL
    const double *centre; // (x, y) in cells; NULL: ((W - 1)/2, (H - 1)/2)
    padic_rollout_number radii, amplitudes; // R and a of objects
    double weights[3]; // of STRUCTURED: discs, blobs, stripes; 0 or above, not all 0
    uint32_t open;     // 1: neither objects, CELLS nor a CLUSTER are periodic
    padic_rollout_front front;
    padic_rollout_decay decay;
    double angle;              // of a LINE
    double radius;             // of CIRCLE, LOGISTIC, CELLS: in cells, 0 or above
    double exponent, fraction; // exponent of POWER; fraction of GRADIENT, of BLOCKS from 0 to 1
} padic_rollout_initial_desc;
PADIC_API padic_result padic_rollout_initial(padic_context *context,
                                             const padic_rollout_initial_desc *desc);
