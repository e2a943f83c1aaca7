// padic.h 0.1.0: exact p-adic numbers, a codec for numeric arrays, waves and tensors, on any CPU;
// backends/ adds vectors, threads and GPUs. One file, no dependency. MIT or Unlicense.
//
// >>start
//
// In ONE C or C++ file write `#define PADIC_IMPLEMENTATION` before the include; everywhere else
// just include. A complete program, `cc -O2 first.c -lm`:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//     #include <string.h>
//
//     int main(void)
//     {
//         static float height[512][512], again[512][512];
//         for (int y = 0; y < 512; y++)
//             for (int x = 0; x < 512; x++) height[y][x] = 0.25f * (float)((x * x + y * y) / 999);
//
//         padic_codec_pack_desc pack = PADIC_ZERO; // zero is the default of every field
//         pack.tensor = padic_tensor_2d(PADIC_F32, height, 512, 512);
//         padic_bytes packed;
//         padic_result result = padic_codec_pack_new(NULL, &pack, &packed);
//         if (result) return puts(padic_result_text(result)), 1;
//
//         padic_codec_unpack_desc unpack = PADIC_ZERO;
//         unpack.packed = packed;
//         unpack.tensor = padic_tensor_2d(PADIC_F32, again, 512, 512);
//         result = padic_codec_unpack(NULL, &unpack);
//         if (result) return puts(padic_result_text(result)), 1;
//         printf("%u -> %u bytes, %s\n", (unsigned)sizeof height, (unsigned)packed.size,
//                memcmp(height, again, sizeof height) ? "different" : "bit for bit the same");
//         padic_codec_free_packed(NULL, &packed);
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
//     >>num API >>convert API >>series API            exact p-adic numbers, whole arrays at a time
//     >>exact API >>channels API >>tree API >>short API
//     >>kernel API                                    what backends/padic_simd.h may replace
//     >>sparse API                                    sparse matrices
//     >>sample API                                    Halton, Hammersley, Owen scrambling
//     >>wave API                                      fields of many point sources, vortices
//     >>tensor API >>einsum API >>code API            products, contractions, factorisations,
//     >>mera API                                      codes, MERA
//     >>fft API                                       Fourier transforms
//     >>cdt API                                       random triangulations by Monte Carlo
//     >>field API >>vortices API >>gft API            Gross-Pitaevskii condensates, their vortices,
//     >>legacy API                                    homogeneous ones, an older code's operations
//     >>rnn API                                       GRU, LSTM and dense layers, Fourier paths
//     >>rollout API >>sampling API >>initial API      neural operators on grids, iterated; their
//     >>metrics API >>evaluation API                  parameters, noise, initial conditions;
//     >>plan API                                      numbers of frames; plans
//     >>pq API                                        product quantisation of an attention's keys
//     >>platform >>memory >>log >>jobs >>rng          the implementation, in the same order
//     >>codec impl                                    container, transforms, prediction, patterns,
//                                                     representation, coders, policy, chooser
//     >>tensor view impl >>random impl
//     >>op table >>cpu backend >>context impl
//     >>num impl >>arith impl >>convert impl >>series impl >>exact impl >>channels impl >>tree impl
//     >>sparse impl >>sample impl >>wave impl
//     >>tensor impl >>einsum impl >>code impl >>mera impl >>fft impl >>cdt impl
//     >>field impl >>rnn impl >>rollout impl >>pq impl
//
// >>promises
//
//  - Lossless means every bit, NaN payloads and -0 included. No value ever exceeds a bound.
//  - The same bytes come out on every machine, for any number of threads.
//  - Every decoder takes any bytes: it returns an error, it never reads or writes outside.
//  - Nothing is global; nothing prints, starts a thread or opens a file unless you give the hook.
//  - Every function that can fail returns a padic_result and leaves nothing half made.
//
// Three words in the comments say how far results agree:
//
//     D0    the same bytes on every backend, compiler and byte order, for any number of threads
//     D1    the same bits run after run on one device and build, for any number of threads
//     D2    from one device to another: within the error that the operation's comment gives
//
// Floating point: the codec and everything marked D0 needs IEEE arithmetic without excess precision
// (any 64-bit target; 32-bit x86 with -msse2 -mfpmath=sse) and without -ffast-math. Both are
// checked when the implementation is compiled.
//
// Made by tools/amalgamate.py from src/padic.in.h, which names the rooms where the text is.

#ifndef PADIC_HEADER
#define PADIC_HEADER

// @system
#include "made/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

#include "api.h"

#ifdef __cplusplus
}
#endif
#include "made/off.h"
#endif // PADIC_HEADER
// @identity

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_CORE) || \
     defined(PADIC_IMPLEMENT_CODEC) || defined(PADIC_IMPLEMENT_NUM) || \
     defined(PADIC_IMPLEMENT_SPARSE) || defined(PADIC_IMPLEMENT_SAMPLE) || \
     defined(PADIC_IMPLEMENT_WAVE) || defined(PADIC_IMPLEMENT_TENSOR) || \
     defined(PADIC_IMPLEMENT_FFT) || defined(PADIC_IMPLEMENT_CDT) || \
     defined(PADIC_IMPLEMENT_FIELD) || defined(PADIC_IMPLEMENT_RNN) || \
     defined(PADIC_IMPLEMENT_ROLLOUT) || defined(PADIC_IMPLEMENT_SIMD) || \
     defined(PADIC_IMPLEMENT_GPU) || defined(PADIC_IMPLEMENT_PQ) || \
     defined(PADIC_IMPLEMENT_OPENCL) || defined(PADIC_IMPLEMENT_CUDA) || \
     defined(PADIC_IMPLEMENT_THREADS) || defined(PADIC_IMPLEMENT_CACHE) || \
     defined(PADIC_IMPLEMENT_NULL)) && \
    !defined(PADIC_IMPLEMENTED)
#define PADIC_IMPLEMENTED
#if !defined(PADIC_IMPLEMENTATION) && !defined(PADIC_SPLIT)
#error "PADIC_IMPLEMENT_... chooses a part: define PADIC_SPLIT, too, in every file"
#endif

// @system
#include "core/begin.h"

// What rooms use of each other.

#include "core/parts.h"
#include "core/platform.h"
#include "core/words.h"
#include "core/crossing.h"
#include "core/view.h"
#include "core/memory.h"
#include "core/log.h"
#include "core/jobs.h"
#include "core/splitmix.h"
#include "codec/constants.h"
#include "codec/bytes.h"
#include "codec/policy.h"
#include "codec/loops.h"
#include "codec/huffman.h"
#include "codec/rans.h"
#include "codec/streams.h"
#include "codec/contexts.h"
#include "codec/bytes_repeats.h"
#include "codec/representation.h"
#include "codec/transforms.h"
#include "codec/differences.h"
#include "codec/interpolation.h"
#include "codec/neighbours.h"
#include "codec/prediction.h"
#include "codec/block_decode.h"
#include "codec/repeats.h"
#include "codec/choose_transform.h"
#include "codec/choose_sizes.h"
#include "codec/choose_prediction.h"
#include "codec/choose_weights.h"
#include "codec/choose_repeats.h"
#include "codec/block_encode.h"
#include "codec/find_matches.h"
#include "codec/choose_matches.h"
#include "codec/choose_alternatives.h"
#include "codec/pack_block.h"
#include "codec/choose_columns.h"
#include "codec/choose_profiles.h"
#include "codec/grid.h"
#include "codec/work.h"
#include "codec/header.h"
#include "codec/pack_check.h"
#include "codec/packing.h"
#include "codec/pack_load.h"
#include "codec/pack_tolerance.h"
#include "codec/pack_prove.h"
#include "codec/pack_layers.h"
#include "codec/pack_workers.h"
#include "codec/pack_search.h"
#include "codec/pack.h"
#include "codec/unpack.h"
#include "core/tensor.h"
#include "core/philox.h"
#include "context/operation.h"
#include "context/ops.h"
#include "context/cpu.h"
#include "context/state.h"
#include "context/messages.h"
#include "context/grow.h"
#include "context/recording.h"
#include "context/target.h"
#include "context/pool.h"
#include "context/profile.h"
#include "context/buffer.h"
#include "context/place.h"
#include "context/workspace.h"
#include "context/launch.h"
#include "context/record.h"
#include "context/replay.h"
#include "codec/buffers.h"
#include "context/operands.h"
#include "context/call.h"
#include "context/kept_calls.h"
#include "context/run.h"
#include "context/view_task.h"
#include "num/words.h"
#include "num/limbs.h"
#include "num/residue.h"
#include "num/ring.h"
#include "num/array.h"
#include "num/cell.h"
#include "num/task.h"
#include "num/workspace.h"
#include "num/value.h"
#include "num/element.h"
#include "num/word_loops.h"
#include "num/valuation.h"
#include "num/tropical.h"
#include "num/horner.h"
#include "num/reduction.h"
#include "num/convert.h"
#include "num/integers.h"
#include "num/floats.h"
#include "num/digits.h"
#include "num/text.h"
#include "num/ring_tables.h"
#include "num/series.h"
#include "num/root.h"
#include "num/series_loops.h"
#include "num/series_calls.h"
#include "num/hensel.h"
#include "num/euclid_word.h"
#include "num/euclid.h"
#include "num/determinant.h"
#include "num/lifting.h"
#include "num/rational.h"
#include "num/channels.h"
#include "num/tree.h"
#include "num/tree_digits.h"
#include "num/tree_insert.h"
#include "sparse/index.h"
#include "sparse/matrix.h"
#include "sparse/kept.h"
#include "sparse/scan.h"
#include "sparse/source.h"
#include "sparse/work.h"
#include "sparse/encoding.h"
#include "sparse/encode.h"
#include "sparse/validate.h"
#include "sparse/view.h"
#include "sparse/decode.h"
#include "sparse/product.h"
#include "sparse/combine.h"
#include "sparse/bytes.h"
#include "sparse/tasks.h"
#include "sparse/calls.h"
#include "sample/sample.h"
#include "sample/hashes.h"
#include "sample/reverse.h"
#include "sample/fractions.h"
#include "sample/driver.h"
#include "sample/checks.h"
#include "sample/request.h"
#include "wave/source.h"
#include "wave/green.h"
#include "wave/output.h"
#include "wave/check.h"
#include "wave/bound.h"
#include "wave/superpose.h"
#include "wave/frames.h"
#include "wave/gradient.h"
#include "wave/vortex.h"
#include "wave/grid.h"
#include "wave/phase_gradient.h"
#include "wave/winding.h"
#include "wave/observables.h"
#include "wave/tonemap.h"
#include "wave/normalise.h"
#include "tensor/plan.h"
#include "tensor/gemm.h"
#include "tensor/contract.h"
#include "tensor/product.h"
#include "tensor/small.h"
#include "tensor/vectors.h"
#include "tensor/qr.h"
#include "tensor/svd.h"
#include "tensor/eigh.h"
#include "tensor/factor.h"
#include "tensor/schmidt.h"
#include "tensor/entropy.h"
#include "tensor/einsum_expression.h"
#include "tensor/einsum_path.h"
#include "tensor/einsum_exact.h"
#include "tensor/einsum_greedy.h"
#include "tensor/einsum_find.h"
#include "tensor/einsum_steps.h"
#include "tensor/perfect.h"
#include "tensor/happy.h"
#include "tensor/mera_chain.h"
#include "tensor/mera_scaling.h"
#include "tensor/mera_state.h"
#include "tensor/mera_random.h"
#include "tensor/mera_update.h"
#include "tensor/mera_layer.h"
#include "tensor/mera_fields.h"
#include "tensor/ops.h"
#include "fft/roots.h"
#include "fft/kernels.h"
#include "fft/plan.h"
#include "fft/line.h"
#include "cdt/threshold.h"
#include "cdt/plan.h"
#include "cdt/arrays.h"
#include "cdt/moves.h"
#include "cdt/chain.h"
#include "cdt/check.h"
#include "cdt/graph.h"
#include "cdt/measure.h"
#include "field/kernels.h"
#include "field/plan.h"
#include "field/fused.h"
#include "field/calls.h"
#include "field/number.h"
#include "field/gft.h"
#include "field/legacy.h"
#include "field/vortices.h"
#include "rnn/kernels.h"
#include "rnn/numbers.h"
#include "rnn/net.h"
#include "rnn/weights.h"
#include "rnn/step.h"
#include "rnn/plan.h"
#include "rollout/random.h"
#include "rollout/spectral.h"
#include "rollout/noise.h"
#include "rollout/tails.h"
#include "rollout/initial.h"
#include "rollout/metrics.h"
#include "rollout/nodes.h"
#include "rollout/kernels.h"
#include "rollout/engine.h"
#include "rollout/apply.h"
#include "rollout/step.h"
#include "rollout/going.h"
#include "rollout/plan.h"
#include "pq/kernels.h"
#include "pq/number.h"
#include "pq/shape.h"
#include "pq/rows.h"
#include "pq/codebook.h"
#include "pq/cache.h"
#include "pq/best.h"
#include "pq/entries.h"
#include "pq/score.h"
#include "pq/select.h"
#include "pq/calls.h"

// The rooms, in the order of the contents.

#include "core/names.c"
#include "core/view.c"
#include "core/memory.c"
#include "core/log.c"
#include "core/jobs.c"
#include "core/splitmix.c"
#include "core/crossing.c"
#include "codec/bytes.c"
#include "codec/policy.c"
#include "codec/huffman.c"
#include "codec/rans.c"
#include "codec/streams.c"
#include "codec/contexts.c"
#include "codec/bytes_repeats.c"
#include "codec/representation.c"
#include "codec/transforms.c"
#include "codec/differences.c"
#include "codec/interpolation.c"
#include "codec/neighbours.c"
#include "codec/prediction.c"
#include "codec/block_decode.c"
#include "codec/repeats.c"
#include "codec/choose_transform.c"
#include "codec/choose_sizes.c"
#include "codec/choose_prediction.c"
#include "codec/choose_weights.c"
#include "codec/choose_repeats.c"
#include "codec/block_encode.c"
#include "codec/find_matches.c"
#include "codec/choose_matches.c"
#include "codec/choose_alternatives.c"
#include "codec/pack_block.c"
#include "codec/choose_columns.c"
#include "codec/choose_profiles.c"
#include "codec/grid.c"
#include "codec/work.c"
#include "codec/header.c"
#include "codec/pack_check.c"
#include "codec/packing.c"
#include "codec/pack_load.c"
#include "codec/pack_tolerance.c"
#include "codec/pack_prove.c"
#include "codec/pack_layers.c"
#include "codec/pack_workers.c"
#include "codec/pack_search.c"
#include "codec/pack.c"
#include "codec/pack_stream.c"
#include "codec/unpack.c"
#include "codec/unpack_stream.c"
#include "core/tensor.c"
#include "core/philox.c"
#include "core/normal.c"
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
#include "context/workspace.c"
#include "context/transfer.c"
#include "context/launch.c"
#include "context/loops.c"
#include "context/record.c"
#include "context/replay.c"
#include "codec/buffers.c"
#include "context/operands.c"
#include "context/call.c"
#include "context/kept_calls.c"
#include "context/run.c"
#include "context/view_task.c"
#include "context/context.c"
#include "context/report.c"
#include "context/self_hash.c"
#include "num/words.c"
#include "num/limbs.c"
#include "num/residue.c"
#include "num/ring.c"
#include "num/array.c"
#include "num/cell.c"
#include "num/task.c"
#include "num/workspace.c"
#include "num/value.c"
#include "num/element.c"
#include "num/word_loops.c"
#include "num/few.c"
#include "num/arith.c"
#include "num/valuation.c"
#include "num/tropical.c"
#include "num/horner.c"
#include "num/reduction.c"
#include "num/convert.c"
#include "num/integers.c"
#include "num/floats.c"
#include "num/digits.c"
#include "num/random.c"
#include "num/text.c"
#include "num/bytes.c"
#include "num/short.c"
#include "num/ring_tables.c"
#include "num/series.c"
#include "num/root.c"
#include "num/series_loops.c"
#include "num/series_calls.c"
#include "num/hensel.c"
#include "num/euclid_word.c"
#include "num/euclid.c"
#include "num/determinant.c"
#include "num/lifting.c"
#include "num/solve.c"
#include "num/rational.c"
#include "num/precision.c"
#include "num/channels.c"
#include "num/levels.c"
#include "num/fields.c"
#include "num/digests.c"
#include "num/gradients.c"
#include "num/tree.c"
#include "num/tree_digits.c"
#include "num/tree_insert.c"
#include "num/tree_ancestors.c"
#include "num/tree_queries.c"
#include "num/tree_bytes.c"
#include "num/self_hash.c"
#include "sparse/index.c"
#include "sparse/matrix.c"
#include "sparse/kept.c"
#include "sparse/scan.c"
#include "sparse/source.c"
#include "sparse/work.c"
#include "sparse/encoding.c"
#include "sparse/encode.c"
#include "sparse/validate.c"
#include "sparse/view.c"
#include "sparse/decode.c"
#include "sparse/digits.c"
#include "sparse/product.c"
#include "sparse/combine.c"
#include "sparse/threshold.c"
#include "sparse/bytes.c"
#include "sparse/tasks.c"
#include "sparse/calls.c"
#include "sparse/calibrate.c"
#include "sample/sample.c"
#include "sample/hashes.c"
#include "sample/reverse.c"
#include "sample/fractions.c"
#include "sample/driver.c"
#include "sample/checks.c"
#include "sample/request.c"
#include "sample/calls.c"
#include "wave/source.c"
#include "wave/green.c"
#include "wave/output.c"
#include "wave/check.c"
#include "wave/bound.c"
#include "wave/superpose.c"
#include "wave/frames.c"
#include "wave/gradient.c"
#include "wave/vortex.c"
#include "wave/grid.c"
#include "wave/phase_gradient.c"
#include "wave/winding.c"
#include "wave/lattice.c"
#include "wave/observables.c"
#include "wave/tonemap.c"
#include "wave/normalise.c"
#include "wave/ops.c"
#include "tensor/plan.c"
#include "tensor/gemm.c"
#include "tensor/contract.c"
#include "tensor/product.c"
#include "tensor/small.c"
#include "tensor/vectors.c"
#include "tensor/qr.c"
#include "tensor/svd.c"
#include "tensor/eigh.c"
#include "tensor/factor.c"
#include "tensor/schmidt.c"
#include "tensor/entropy.c"
#include "tensor/einsum_expression.c"
#include "tensor/einsum_path.c"
#include "tensor/einsum_exact.c"
#include "tensor/einsum_greedy.c"
#include "tensor/einsum_find.c"
#include "tensor/einsum_steps.c"
#include "tensor/einsum.c"
#include "tensor/pair_pool.c"
#include "tensor/perfect.c"
#include "tensor/happy.c"
#include "tensor/happy_state.c"
#include "tensor/happy_cut.c"
#include "tensor/mera_chain.c"
#include "tensor/mera_fields.c"
#include "tensor/mera_layer.c"
#include "tensor/mera_update.c"
#include "tensor/mera_random.c"
#include "tensor/mera_state.c"
#include "tensor/mera_scaling.c"
#include "tensor/mera.c"
#include "tensor/ops.c"
#include "fft/roots.c"
#include "fft/plain.c"
#include "fft/moves.c"
#include "fft/plan.c"
#include "fft/line.c"
#include "fft/axis.c"
#include "fft/transform.c"
#include "cdt/law.c"
#include "cdt/threshold.c"
#include "cdt/arrays.c"
#include "cdt/plan.c"
#include "cdt/torus.c"
#include "cdt/sphere.c"
#include "cdt/chain.c"
#include "cdt/check.c"
#include "cdt/graph.c"
#include "cdt/measure.c"
#include "cdt/checkpoint.c"
#include "cdt/exchange.c"
#include "cdt/estimate.c"
#include "field/rules.c"
#include "field/points.c"
#include "field/kinetic.c"
#include "field/drift.c"
#include "field/imaginary.c"
#include "field/plan.c"
#include "field/measure.c"
#include "field/fused.c"
#include "field/step.c"
#include "field/ground.c"
#include "field/vortices.c"
#include "field/gft.c"
#include "field/gft_minimum.c"
#include "field/legacy.c"
#include "rnn/plain.c"
#include "rnn/net.c"
#include "rnn/weights.c"
#include "rnn/step.c"
#include "rnn/plan.c"
#include "rnn/run.c"
#include "rnn/convert.c"
#include "rnn/path.c"
#include "rollout/nodes.c"
#include "rollout/lists.c"
#include "rollout/weights.c"
#include "rollout/sobol.c"
#include "rollout/mapping.c"
#include "rollout/discrepancy.c"
#include "rollout/spectral.c"
#include "rollout/tails.c"
#include "rollout/noise.c"
#include "rollout/patterns.c"
#include "rollout/initial.c"
#include "rollout/metrics.c"
#include "rollout/reduce.c"
#include "rollout/plain.c"
#include "rollout/norm.c"
#include "rollout/disturb.c"
#include "rollout/modes.c"
#include "rollout/tile.c"
#include "rollout/pack.c"
#include "rollout/engine.c"
#include "rollout/apply.c"
#include "rollout/step.c"
#include "rollout/follow.c"
#include "rollout/going.c"
#include "rollout/run.c"
#include "rollout/plan.c"
#include "rollout/plan_calls.c"
#include "pq/shape.c"
#include "pq/plain.c"
#include "pq/codebook.c"
#include "pq/train.c"
#include "pq/encode.c"
#include "pq/append.c"
#include "pq/cache.c"
#include "pq/score.c"
#include "pq/topk.c"
#include "pq/methods.c"
#include "pq/select.c"
#include "pq/rows.c"
#include "pq/attend.c"
#include "pq/merge.c"
#include "pq/entries.c"
#include "pq/lists.c"
#include "pq/rerank.c"
#include "pq/quality.c"
#include "pq/plan.c"

#include "core/end.h"
#endif // PADIC_IMPLEMENTATION
