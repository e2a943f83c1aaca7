#include "launch.h"
#include "messages.h"
#include "profile.h"
#include "recording.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// Programs and launches. What a backend sees has been checked here, in every build.

// 1 if the device takes the kernels' groups.
PADICI_FN int padici_shapes_fit(const padic_context *context, const padici_shape *shapes,
                                uint32_t kernels)
{
    const uint32_t most = context->targets[0].info.max_group;
    uint32_t i;
    for (i = 0; i < kernels; i++)
        if (!shapes[i].group || (most && shapes[i].group > most)) return 0;
    return 1;
}

// On the context's first device, which owns the program until it is closed. `shapes` must live as
// long.
PADICI_FN padic_result padici_program_build(padic_context *context, const padic_program_desc *desc,
                                            uint32_t kernels, const padici_shape *shapes,
                                            padici_program *program)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint64_t begin;
    memset(program, 0, sizeof *program);
    if (result) return result;
    result = padici_refuse(context, "building a program");
    if (result) return result;
    if (!padici_shapes_fit(context, shapes, kernels))
        return padici_fail(context, PADIC_ERROR_LIMIT, "the device allows no groups of that size");
    begin = (*context->clock.now)(context->clock.user);
    result = (*target->backend->program)(target->device, desc, &program->handle);
    context->stats.build_ns += (*context->clock.now)(context->clock.user) - begin;
    if (result) return padici_target_end(context, target, result);
    program->kernels = kernels;
    program->shapes = shapes;
    context->stats.programs++;
    return PADIC_OK;
}

// Several programs, side by side where the backend can. Their shapes are not looked at; those with
// a handle are built.
PADICI_FN padic_result padici_programs_build(padic_context *context,
                                             const padic_program_desc *descs, uint32_t count,
                                             padic_program **handles, padic_result *results)
{
    padici_target *target = &context->targets[0];
    const padic_backend *backend = target->backend;
    padic_result result = padici_target_begin(context, target);
    uint64_t begin;
    uint32_t i;
    if (result) return result;
    begin = (*context->clock.now)(context->clock.user);
    if (backend->programs) (*backend->programs)(target->device, descs, count, handles, results);
    for (i = 0; i < count && !backend->programs; i++)
        results[i] = (*backend->program)(target->device, &descs[i], &handles[i]);
    context->stats.build_ns += (*context->clock.now)(context->clock.user) - begin;
    for (i = 0; i < count; i++) {
        if (handles[i]) context->stats.programs++;
        if (results[i]) result = padici_target_end(context, target, results[i]);
    }
    return result;
}

static const char *padici_launch_fault(const padici_program *program, const padic_launch *launch)
{
    const padici_shape *shape;
    uint32_t i;
    if (!program->handle || launch->kernel >= program->kernels) return "launch: no such kernel";
    shape = &program->shapes[launch->kernel];
    if (launch->group != shape->group) return "launch: not the group that was compiled";
    if (!launch->groups[0] || !launch->groups[1] || !launch->groups[2])
        return "launch: no groups";
    if ((uint64_t)launch->groups[0] * launch->group >> 32 || launch->groups[1] > 65535 ||
        launch->groups[2] > 65535)
        return "launch: too many groups";
    if (launch->mem_count != shape->buffers || launch->mem_count > 8)
        return "launch: not as many buffers as the kernel has";
    for (i = 0; i < launch->mem_count; i++)
        if (!launch->mem[i].bits) return "launch: a buffer is missing";
    if (!launch->params || launch->params_size != shape->params_size || launch->params_size < 4 ||
        launch->params_size > 256 || launch->params_size & 3)
        return "launch: params are the kernel's 4 to 256 bytes of 32-bit values";
    if (launch->op >= PADIC_OP_COUNT)
        return "launch: unknown operation";
    return NULL;
}

// Whether a handle is memory that the context knows on its device: a block in use, or borrowed.
static int padici_mem_live(const padic_context *context, padic_mem mem)
{
    const padici_pool *pool = &context->pools[0];
    const int is_host = padici_target_is_host(&context->targets[0]);
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size && pool->blocks[i].mem.bits == mem.bits)
            return !pool->blocks[i].idle;
    for (i = 0; i < context->slot_count; i++)
        if (context->buffers[i].live && context->buffers[i].mem.bits == mem.bits)
            return is_host || !context->buffers[i].host;
    return 0;
}

// Launches on memory that came from live buffers or the pool; PADIC_CONTEXT_DEBUG checks that.
PADICI_FN padic_result padici_launch(padic_context *context, const padici_program *program,
                                     const padic_launch *desc)
{
    padici_target *target = &context->targets[0];
    padic_launch launch = *desc;
    const char *fault = padici_launch_fault(program, desc);
    uint32_t i;
    if (!fault && (context->flags & PADIC_CONTEXT_DEBUG))
        for (i = 0; i < launch.mem_count; i++)
            if (!padici_mem_live(context, launch.mem[i])) fault = "launch: a buffer is not alive";
    if (fault) return padici_fail(context, PADIC_ERROR_ARGUMENT, fault);
    for (i = launch.mem_count; i < 8; i++) launch.mem[i].bits = 0;
    launch.program = program->handle;
    return padici_target_launch(context, target, &launch);
}

// A service of the kernels' driver.
PADICI_FN padic_result padici_drive(padic_context *context, uint32_t service, void *call)
{
    const padici_target *target = &context->targets[0];
    if (!target->backend->drive) return PADIC_ERROR_NOT_SUPPORTED;
    return (*target->backend->drive)(context, service, call, 0);
}

#endif
