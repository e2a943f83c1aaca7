// padic.h 0.1.0: exact and error-bounded compression of numeric arrays, and the frame that every
// other area hangs in. One file, no dependency. MIT or Unlicense.
//
// >>start
//
// In ONE C or C++ file write `#define PADIC_IMPLEMENTATION` before the include; everywhere else
// just include. A complete program, `cc -O2 first.c -lm`:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//     #include <stdlib.h>
//     #include <string.h>
//
//     int main(void)
//     {
//         static float height[512][512], again[512][512];
//         for (int y = 0; y < 512; y++)
//             for (int x = 0; x < 512; x++) height[y][x] = 0.25f * (float)((x * x + y * y) / 999);
//
//         padic_codec_desc desc = PADIC_ZERO;              // zero is the default of every field
//         desc.tensor = padic_tensor_2d(PADIC_F32, height, 512, 512);
//         size_t room = padic_codec_bound(&desc), size = 0;
//         void *packed = malloc(room);
//         padic_result result = padic_codec_pack(NULL, &desc, packed, room, &size);
//         if (result) return puts(padic_result_text(result)), 1;
//
//         padic_codec_unpack_desc back = PADIC_ZERO;
//         back.tensor = padic_tensor_2d(PADIC_F32, again, 512, 512);
//         result = padic_codec_unpack(NULL, &back, packed, size);
//         if (result) return puts(padic_result_text(result)), 1;
//         printf("%u -> %u bytes, %s\n", (unsigned)sizeof height, (unsigned)size,
//                memcmp(height, again, sizeof height) ? "different" : "bit for bit the same");
//         free(packed);
//         return 0;
//     }
//
// >>contents: search for the tag
//
//     >>version >>config >>types >>result >>hooks     what every area shares
//     >>codec API                                     arrays in, fewest bytes out
//     >>context API >>buffer API >>tensor view        device, pool, ids, views
//     >>record API >>profile API                      fewer calls to the driver; where time goes
//     >>random API >>backend API                      Philox; how a device plugs in
//     >>areas API                                     areas in files of their own, left out when
//                                                     they do not lie beside this one:
//                                                     (numbers and sparse matrices: include
//                                                     padic_num.h instead of this file)
//         padic_sample.h                              Halton, Hammersley, Owen scrambling
//         padic_wave.h                                fields of many point sources
//         padic_tensor.h                              matrix products, contractions
//     >>platform >>memory >>log >>jobs >>rng          the implementation, in the same order
//     >>codec impl                                    container, forms, prediction, patterns,
//                                                     digits, coders, chooser
//     >>tensor view impl >>random impl
//     >>op table >>cpu backend >>context impl
//
// >>promises
//
//  - Lossless means every bit, NaN payloads and -0 included. No value ever exceeds a bound.
//  - The same bytes come out on every machine, for any number of threads.
//  - Every decoder takes any bytes: it returns an error, it never reads or writes outside.
//  - Nothing is global; nothing prints, starts a thread or opens a file unless you give the hook.
//  - Every function that can fail returns a padic_result and leaves nothing half made.
//
// Floating point: the codec and everything marked D0 needs IEEE arithmetic without excess precision
// (any 64-bit target; 32-bit x86 with -msse2 -mfpmath=sse) and without -ffast-math. Both are
// checked when the implementation is compiled.

#ifndef PADIC_HEADER
#define PADIC_HEADER

#include <stddef.h>
#include <stdint.h>

#include "core/version.h"
#include "core/config.h"
#include "core/types.h"
#include "core/result.h"
#include "core/hooks.h"
#include "codec/api.h"
#include "context/api.h"
#include "context/buffer.h"
#include "core/tensor.h"
#include "context/record.h"
#include "context/profile.h"
#include "core/philox.h"
#include "context/areas.h"
#include "context/backend.h"

#ifdef __cplusplus
}
#endif
#endif // PADIC_HEADER

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENTED)
#define PADIC_IMPLEMENTED

#include "core/platform.c"
#include "core/words.c"
#include "core/names.c"
#include "core/view.c"
#include "core/memory.c"
#include "core/log.c"
#include "core/jobs.c"
#include "core/splitmix.c"
#ifndef PADIC_NO_CODEC

#include "codec/constants.c"
#include "codec/bytes.c"
#include "codec/loops.c"
#include "codec/huffman.c"
#include "codec/rans.c"
#include "codec/streams.c"
#include "codec/contexts.c"
#include "codec/bytes_repeats.c"
#include "codec/digits.c"
#include "codec/forms.c"
#include "codec/differences.c"
#include "codec/interpolation.c"
#include "codec/neighbours.c"
#include "codec/prediction.c"
#include "codec/block_decode.c"
#include "codec/repeats.c"
#include "codec/choose_form.c"
#include "codec/choose_sizes.c"
#include "codec/choose_prediction.c"
#include "codec/choose_weights.c"
#include "codec/choose_repeats.c"
#include "codec/block_encode.c"
#include "codec/find_matches.c"
#include "codec/choose_matches.c"
#include "codec/choose_stand_ins.c"
#include "codec/pack_block.c"
#include "codec/choose_columns.c"
#include "codec/choose_profiles.c"
#include "codec/grid.c"
#include "codec/work.c"
#include "codec/header.c"
#include "codec/pack_check.c"
#include "codec/packing.c"
#include "codec/pack_load.c"
#include "codec/pack_bound.c"
#include "codec/pack_prove.c"
#include "codec/pack_layers.c"
#include "codec/pack_workers.c"
#include "codec/pack_search.c"
#include "codec/pack.c"
#include "codec/pack_stream.c"
#include "codec/unpack.c"
#include "codec/unpack_stream.c"

#endif // PADIC_NO_CODEC

#include "core/tensor.c"
#include "core/philox.c"
#include "context/operation.c"
#include "context/base.c"
#include "context/ops.c"
#include "context/cpu.c"
#include "context/state.c"
#include "context/messages.c"
#include "context/grow.c"
#include "context/recording.c"
#include "context/target.c"
#include "context/pool.c"
#include "context/profile.c"
#include "context/profile_write.c"
#include "context/buffer.c"
#include "context/place.c"
#include "context/transfer.c"
#include "context/launch.c"
#include "context/record.c"
#include "context/replay.c"

#ifndef PADIC_NO_CODEC
#include "context/codec_buffers.c"
#endif // PADIC_NO_CODEC

#include "context/operands.c"
#include "context/call.c"
#include "context/kept_calls.c"
#include "context/run.c"
#include "context/context.c"
#include "context/report.c"
#include "context/self_hash.c"
// ------------------------------------------------------------------------- end of implementation

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
#endif // PADIC_IMPLEMENTATION
