// op_stats.h: the counters of one operation by value, for checks.
#ifndef OP_STATS_H
#define OP_STATS_H

static padic_op_stats op_stats(const padic_context *context, int op)
{
    padic_op_stats stats;
    padic_context_op_stats(context, (padic_op)op, &stats);
    return stats;
}

#endif // OP_STATS_H
