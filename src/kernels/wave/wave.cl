// program: wave
// texts: settings.cl phase.cl source.cl hankel.cl term.cl points.cl classes.cl gradient.cl
// texts: output.cl tile.cl list.cl grid.cl stage.cl field.cl small.cl order.cl frame.cl
// wave.cl: superposition of point sources on listed points and on implicit grids, frames of it,
// and its gradient.
// variant: PD_WAVE_LISTED=0
// variant: PD_WAVE_LISTED=1
// variant: PD_WAVE_LISTED=0 PD_WAVE_WG=32
// variant: PD_WAVE_LISTED=0 PD_WAVE_KERNEL=2 PD_WAVE_ABSORB=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_SOFT=3
// variant: PD_WAVE_LISTED=0 PD_WAVE_KERNEL=4 PD_WAVE_SOFT=4
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=1 PD_WAVE_WG=128
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=1 PD_WAVE_POINTS=2
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=2
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2 PD_WAVE_SOFT=3 PD_WAVE_ABSORB=1
// variant: PD_WAVE_LISTED=0 PD_WAVE_MODE=2 PD_WAVE_KERNEL=4 PD_WAVE_SOFT=1
// variant: PD_WAVE_LISTED=1 PD_WAVE_MODE=2 PD_WAVE_KERNEL=2
//
// Points are divided into tiles with centre c and radius h, one tile per group. For a tile and a
// source the distance r0 = |c - s| and the phase at c are computed in two-word arithmetic (about 46
// bits); only the small remainder differs from point to point and is f32. With d = point - c, D = c
// - s:
//
//     u = (2 D.d + d.d)/r0^2      r - r0 = r0 (u/2 - u^2/8 + u^3/16 - 5u^4/128 + ...)
//     r0/r = 1 - u/2 + 3u^2/8 - 5u^3/16 + 35u^4/128 - ...    phase = t0 + (k/2pi)(r - r0) [turns]
//
// The classes of a (tile, source), the first that passes:
//
//     LINE               of grids: a root for each row of points, polynomials along it
//     SERIES3, SERIES4   without LINE: both series to u^3 and u^2, or u^4: no root, no division
//     DIRECT             x = D + d, one root, k r in f32
//     OPEN               the same, where no point needs a test
//     ROOT               one root, and what it is off by, for r - r0
//     MIDDLE             exact quotient for r - r0
//     WIDE               position, distance and k r in two words
//
// and each states its largest phase error, of which every tile reports the maximum. The truncation
// of the series is certified: the coefficients fall, so with U = 2h/r0 + (h/r0)^2 the tail after
// u^n is at most the next coefficient times U^(n+1)/(1-U). Along a row, x = half of it over the
// distance, 1/r is a sum of x^n P_n and r one of x^n (P_(n-2) - P_n)/(2n-1), P Legendre's: what is
// left after x^3 is at most x^4/(1-x), and for r 0.16 x^4. The rounding constants below are maxima
// measured over random pairs (tests/test_wave.c), with margin.
