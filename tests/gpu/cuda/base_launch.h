// base_launch.h: the base program and one launch of it, through padic_cuda() itself. Include after
// padic_cuda.h, in the unit with PADIC_IMPLEMENTATION.
#ifndef BASE_LAUNCH_H
#define BASE_LAUNCH_H

static padic_result build_base(padic_device *device, padic_program **program)
{
    static const char *const defines[] = {"PD_WG=128", "PD_HAS_F64=1"};
    padic_program_desc desc = PADIC_ZERO;
    desc.program = PADICI_PROGRAM_BASE;
    desc.defines = defines;
    desc.define_count = 2;
    return (*padic_cuda()->program)(device, &desc, program);
}

// Words 0 to n - 1 become `value`.
static padic_result launch_fill(padic_device *device, padic_program *program, padic_mem mem,
                                uint32_t n, uint32_t value)
{
    padici_k_base_fill_params k;
    padic_launch launch = PADIC_ZERO;
    memset(&k, 0, sizeof k);
    k.n = n;
    k.axes = 1;
    k.value[0] = k.value[1] = k.value[2] = k.value[3] = value;
    k.extent[0] = n;
    k.stride[0] = 1;
    k.shift[0] = 31;
    launch.program = program;
    launch.kernel = PADICI_KERNEL_BASE_FILL_4 & 0xffff;
    launch.mem[0] = mem;
    launch.mem_count = 1;
    launch.params = &k;
    launch.params_size = sizeof k;
    launch.group = 128;
    launch.groups[0] = (n + 127) / 128;
    launch.groups[1] = launch.groups[2] = 1;
    launch.op = PADIC_OP_FILL;
    return (*padic_cuda()->launch)(device, &launch);
}
#endif
