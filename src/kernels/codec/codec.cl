// program: codec
// texts: tunables.cl stream.cl words.cl checksum.cl elements.cl group.cl bits.cl token.cl
// texts: digits.cl spread.cl measure.cl scan.cl frames.cl strings.cl fill.cl classes.cl rans.cl
// texts: plain.cl coded.cl off.cl range.cl inspect.cl tile.cl places.cl unpack.cl narrow.cl
// texts: remainder.cl tokens.cl expand.cl patch.cl prove.cl
// codec.cl: arrays packed in the profiles of FORMAT.md, and unpacked.
//
// A block is a run of elements and a group's work, in tiles of 256 items; the stream is seen as
// bytes from `packed` on. Packing: measure (one read of the elements: spreads, checksum, the
// choice), scan (where each block begins), frames (all but widths and bits, and the index), fill
// (widths and bits); where blocks may be coded, after
// measure classes (tokens and frequencies), rans (their chain; the choice), after fill coded (the
// bytes of coded blocks). Then the stream is unpacked again: prove compares what came back with the
// array, redo makes the blocks raw that did not, to be written once more. Unpacking: inspect
// (frames; every offset is compared before it is followed), unpack, narrow (differences of few
// bits) and remainder (what unpack leaves); where there are coded blocks, tokens (rANS, 32 items a
// block) and expand. What is not one of the profiles, or damaged, is only reported. Numbers of the
// container stand as in FORMAT.md.
//
// Under PD_HAS_WARPS a group of 256 elements is a warp's work, 8 elements an item: 8 digits of one
// width are whole bytes. Of other warps it needs where its bits begin, and sums of differences.
//
// PD_CODEC_BOUND: streams with a bound (of f32, or of f64 by integers). Words of their blocks are
// multiples of a scale; range finds what a bound may be relative to, off sizes and writes
// exceptions, patch puts them back.
// variant: PD_CODEC_BOUND=1
// variant: PD_CODEC_BOUND=1 PD_CODEC_SIZE=8
// variant: PD_CODEC_SIZE=1
// variant: PD_CODEC_SIZE=2
// variant: PD_CODEC_SIZE=8
