// program: codec
// texts: tunables.cl stream.cl words.cl checksum.cl elements.cl group.cl bits.cl token.cl
// texts: digits.cl spread.cl measure.cl scan.cl frames.cl strings.cl fill.cl classes.cl rans.cl
// texts: plain.cl coded.cl off.cl range.cl inspect.cl tile.cl places.cl unpack.cl narrow.cl
// texts: remainder.cl tokens.cl expand.cl patch.cl prove.cl
// codec.cl: arrays packed in the profiles of FORMAT.md, and unpacked.
//
// A block is a run of elements, processed by one group in tiles of 256 items; the stream is
// addressed in bytes from `packed` on. Packing: measure (one read of the elements: spreads,
// checksum, the choice), scan (the offset of each block), frames (all but widths and bits, and the
// index), fill (widths and bits); where blocks may be coded, after measure classes (tokens and
// frequencies), rans (their chain; the choice), after fill coded (the bytes of coded blocks). Then
// the stream is unpacked again: prove compares the result with the array, redo makes the wrong
// blocks raw, to be written once more. Unpacking: inspect (frames; every offset is checked before
// it is followed), unpack, narrow (differences of few bits) and remainder (the blocks unpack
// leaves); where there are coded blocks, tokens (rANS, 32 items per block) and expand. Streams of
// other profiles and damaged ones are only reported. Numbers of the container are those of
// FORMAT.md.
//
// Under PD_HAS_WARPS a warp processes a group of 256 elements, 8 elements per item: 8 digits of one
// width are whole bytes. From other warps it needs the offset of its bits, and sums of differences.
//
// PD_CODEC_BOUND: streams with a bound (of f32, or of f64 by integers). Words of their blocks are
// multiples of a scale; range finds the range for a relative bound, off sizes and writes
// exceptions, patch restores them.
// variant: PD_CODEC_BOUND=1
// variant: PD_CODEC_BOUND=1 PD_CODEC_SIZE=8
// variant: PD_CODEC_SIZE=1
// variant: PD_CODEC_SIZE=2
// variant: PD_CODEC_SIZE=8
