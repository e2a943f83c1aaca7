// program: vortex
// texts: vortex_winding.cl vortex_number.cl vortex_observe.cl vortex_norm.cl vortex_gradient.cl
// texts: vortex_line.cl vortex_field.cl
// vortex.cl: operations on a complex field: observables, pixels, the norm, gradients of the phase,
// windings about 0, and line vortices. Fields are c64, two words per sample.
//
// Windings are found in integers only: the same bits everywhere. The norm is summed in the order of
// the reference, in f64 or in two words of f32; the rest is f32, with two words where numbers
// cancel. Samples are scaled to about 1 by powers of two before they are multiplied, so that
// neither very large nor very small ones are lost.
