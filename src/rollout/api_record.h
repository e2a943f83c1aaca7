#pragma once
// -------------------------------------------------------------------------------- >>dataset API
//
// Rollouts on disk: what ran, its initial conditions and weights, frames in blocks by the codec,
// metrics and statuses. FORMAT.md has the container. D0: its bytes depend on what is recorded, not
// on the order in which parts come. A file that was cut is read up to its last whole block, and may
// be gone on with.

enum { // flags of a record
    PADIC_ROLLOUT_RECORD_NO_WEIGHTS = 1 // the file has none: they come from `weights_seed`
};

// `write` puts `size` bytes at byte `at` of the file, `read` takes as many from there; both return
// 0, and after anything else the call returns CALLBACK. Bytes are written one after another.
typedef struct padic_rollout_record_desc {
    // What runs, as for padic_rollout_run(), with all operators and initial conditions, in host
    // memory. Which frames come is said by output, every and flags; STREAM is recorded as EVERY.
    // Results are not used.
    const padic_rollout_run_desc *run;
    uint32_t measures;     // 1: rows of metrics by run->reduce and reduce_every
    uint32_t flags;        // PADIC_ROLLOUT_RECORD_...
    uint64_t weights_seed; // of padic_rollout_weights_init(); kept, not used
    // What the operators were sampled from: coordinates and values (N, D), F64, and how they hang
    // together, D <= 64 with at most 1,024 weights of choices in all; zero: nothing.
    padic_tensor unit, physical;
    const padic_rollout_parameter *parameters;
    uint32_t parameter_count; // D
    uint32_t block;           // frames of a block, at most 65,536; 0: 16
    uint32_t level;           // of the codec
    padic_codec_tolerance_mode tolerance_mode; // of frames: NONE, ABSOLUTE, RANGE (of a block)
    double tolerance;                          // or POINTWISE, which no profile has
    // Of frames: a profile other than ANY is packed by a device where it has them, so that only
    // packed bytes travel; the same bytes by the CPU.
    padic_codec_profile profile;
    int (*write)(const void *bytes, uint64_t size, uint64_t at, void *user);
    // A file of this record that was cut: what is whole stays. NULL: there is none.
    int (*read)(void *bytes, uint64_t size, uint64_t at, void *user);
    uint64_t size; // of that file
    void *user;
} padic_rollout_record_desc;

// Returns the bytes that a file takes at most; 0 if the desc makes no sense.
PADIC_API uint64_t padic_rollout_record_size_bound(padic_context *context,
                                                   const padic_rollout_record_desc *desc);
// Writes what comes before the frames. The context is one that lives as long as the record; a
// rollout that streams to it is of that context. Errors: as padic_rollout_run(); ARGUMENT, DTYPE,
// MISMATCH (another file than this one's beginning), LIMIT, MEMORY, CALLBACK. *record is NULL then.
PADIC_API padic_result padic_rollout_record_begin(padic_context *context,
                                                  const padic_rollout_record_desc *desc,
                                                  padic_rollout_record **record);

// Frames of `count` trajectories from `first` on, in any order: whole blocks, that is `frame` is a
// multiple of `block`, and F frames end with a block or with the last frame. What the file has
// already is not written again. What comes before its turn is held, packed, in memory of its own;
// the record allocates nothing else after the first block. Frames in a buffer are of the record's
// context: its device packs them, in the record's profile, where those of a block lie without
// gaps; else, and in profile ANY, the host on copies, and NOT_SUPPORTED in a strict context.
// Errors: ARGUMENT, DTYPE, MISMATCH, REGION (beyond the buffer), MEMORY, NOT_SUPPORTED, CALLBACK
// (then nothing more can be written).
typedef struct padic_rollout_record_frames_desc {
    padic_rollout_record *record;
    uint64_t first, frame;
    padic_tensor frames; // (count, F, C, H, W), any positive strides, of initial's dtype; in host
                         // memory or in a buffer
} padic_rollout_record_frames_desc;
PADIC_API padic_result padic_rollout_record_frames(padic_context *context,
                                                   const padic_rollout_record_frames_desc *desc);

// Metrics and statuses of trajectories, likewise.
typedef struct padic_rollout_record_metrics_desc {
    padic_rollout_record *record;
    uint64_t first;
    padic_tensor metrics; // F32 (count, F_r, R), dense; zero without `measures`
    padic_tensor status;  // U32 (count, 4), dense
} padic_rollout_record_metrics_desc;
PADIC_API padic_result padic_rollout_record_metrics(padic_context *context,
                                                    const padic_rollout_record_metrics_desc *desc);

typedef struct padic_rollout_record_report {
    uint64_t trajectories; // that are whole in the file, from 0 on
    uint64_t size;         // of the file up to now
    uint64_t held;         // bytes that wait for their turn
    uint32_t complete;     // 1: all are there
} padic_rollout_record_report;
PADIC_API padic_result padic_rollout_record_info(const padic_rollout_record *record,
                                                 padic_rollout_record_report *report);
// Writes the index and frees the record. MISMATCH if something has not come: the file is one that
// was cut. CALLBACK.
PADIC_API padic_result padic_rollout_record_end(padic_context *context,
                                                padic_rollout_record *record);

typedef struct padic_rollout_reader padic_rollout_reader;

// A file in memory, or by `read`, as above.
typedef struct padic_rollout_record_open_desc {
    padic_bytes file; // of host memory, as long as the reader lives; without memory:
    int (*read)(void *bytes, uint64_t size, uint64_t at, void *user);
    uint64_t size;
    void *user;
} padic_rollout_record_open_desc;
// Reads all but frames, arrays and metrics. Errors: ARGUMENT, CORRUPT, CHECKSUM, VERSION, MEMORY,
// CALLBACK. *reader is NULL then.
PADIC_API padic_result padic_rollout_record_open(padic_context *context,
                                                 const padic_rollout_record_open_desc *desc,
                                                 padic_rollout_reader **reader);
PADIC_API void padic_rollout_record_close(padic_context *context, padic_rollout_reader *reader);

typedef struct padic_rollout_reader_report {
    // What ran; tensors have shapes and no memory. Its pointers are the reader's.
    padic_rollout_run_desc run;
    uint32_t measures, flags;
    uint64_t weights_seed;
    uint64_t hash; // padic_self_hash() of the library that wrote it
    uint32_t parameter_count;
    const padic_rollout_parameter *parameters;
    uint32_t block, level;
    padic_codec_tolerance_mode tolerance_mode;
    double tolerance;
    padic_codec_profile profile;
    uint64_t frames;       // F of a trajectory
    uint64_t rows;         // F_r
    uint32_t columns;      // R
    uint64_t trajectories; // N I M
    uint64_t whole;        // of them, from 0 on, with all frames, metrics and the status
    uint32_t complete;     // 1: the file was not cut
} padic_rollout_reader_report;
PADIC_API padic_result padic_rollout_record_report_of(const padic_rollout_reader *reader,
                                                      padic_rollout_reader_report *report);

typedef enum padic_rollout_part {
    PADIC_ROLLOUT_PART_FRAMES = 0,    // (count, F', C, H, W) from `frame` on
    PADIC_ROLLOUT_PART_METRICS = 1,   // F32 (count, F_r, R)
    PADIC_ROLLOUT_PART_STATUS = 2,    // U32 (count, 4)
    PADIC_ROLLOUT_PART_WEIGHTS = 3,   // (N, P): these and the next ones as a whole
    PADIC_ROLLOUT_PART_INITIAL = 4,   // (I, C, H, W), or (N, C, H, W)
    PADIC_ROLLOUT_PART_PARAMETER = 5, // (N)
    PADIC_ROLLOUT_PART_IDS = 6,       // (N)
    PADIC_ROLLOUT_PART_NOISE_IDS = 7, // (I, M)
    PADIC_ROLLOUT_PART_NOISE_SCALE = 8, // (N)
    PADIC_ROLLOUT_PART_UNIT = 9,        // F64 (N, D)
    PADIC_ROLLOUT_PART_PHYSICAL = 10
} padic_rollout_part;

// Any trajectories and frames, without the rest. Errors: ARGUMENT, REGION (not in the file), DTYPE,
// MISMATCH, CORRUPT, CHECKSUM, MEMORY, CALLBACK.
typedef struct padic_rollout_record_read_desc {
    padic_rollout_reader *reader;
    padic_rollout_part part;
    uint64_t first, frame;
    padic_tensor out; // dense, host memory, of the part's dtype
} padic_rollout_record_read_desc;
PADIC_API padic_result padic_rollout_record_read(padic_context *context,
                                                 const padic_rollout_record_read_desc *desc);
