#pragma once
// ------------------------------------------------------------------------------ >>vortices API
//
// Lists vortices: the elementary squares of the grid about which the phase winds, with the place of
// the core inside. The charge is that of padic_wave_winding(), from exact signs: the same on every
// machine (D0), -1, 0 or 1, and its sum over a region is the winding of the boundary, so that a
// periodic plane totals 0. A core of charge q shows as several squares whose sum is q.
//
// The square of point i and orientation o spans the axes o + 1 and o + 2 (modulo 3) from i; a plane
// has orientation 2 only, charge 1 turning from x to y. In space a line pierces squares; every cube
// has as many going in as out. The core is the root of the bilinear interpolant of the four
// corners, the one of the square's charge if there are two, and the centre where it has none
// inside. Corners that are 0 or not finite leave a square undefined: counted, never listed.
//
// Where psi lies in a buffer, devices find vortices by kernels, to the same charges in the same
// order, of at most 2^30 points; places, densities and links on devices with f64, in which they are
// computed. Without a report a call can be recorded, and nothing waits for the device: then too few
// rows are no error, and rows that have no vortex are those that stayed as they were.
//
// Errors: ARGUMENT (spacing negative or not finite, unknown boundary or flag, links without all of
// cells, positions, last_cells and last_positions), DTYPE, MISMATCH (shapes), CAPACITY (more
// vortices than rows: the first ones are written, report->count is the true number).
typedef struct padic_field_vortices_report {
    uint64_t count;     // vortices, listed or not
    uint64_t undefined; // squares with a corner that is 0 or not finite
    int64_t total[3];   // sum of charges by orientation
    uint64_t linked;    // links that are not -1
} padic_field_vortices_report;

typedef struct padic_field_vortices_desc {
    padic_tensor psi; // C64 or C128, of rank 2 or 3, any strides
    padic_field_boundary boundary[PADIC_FIELD_AXES];
    double spacing[PADIC_FIELD_AXES]; // h; 0: 1
    double origin[PADIC_FIELD_AXES];  // 0: the box is centred, as for a plan
    uint32_t flags;                   // PADIC_FIELD_ORIGIN_GIVEN

    // Lists of K rows, each optional, in the order of points in C order, then orientation. Rows
    // beyond the last vortex stay as they were.
    padic_tensor cells;     // I64 (K, 3): the point, orientation, charge
    padic_tensor positions; // F64 (K, rank of psi)
    padic_tensor density;   // F64 (K): mean |psi|^2 of the corners

    // Tracks: for each vortex the row of the nearest one of the same charge and orientation in an
    // earlier list of L rows, no further than `reach`, the shorter way round where periodic; the
    // first of equally near ones; -1 if there is none.
    padic_tensor last_cells, last_positions;
    double reach;       // 0: any distance
    padic_tensor links; // I64 (K); optional

    padic_field_vortices_report *report; // optional
} padic_field_vortices_desc;
PADIC_API padic_result padic_field_vortices(padic_context *context,
                                            const padic_field_vortices_desc *desc);
