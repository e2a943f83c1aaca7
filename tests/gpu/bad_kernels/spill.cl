// program: spill
// spill.cl: more words an item than a device has registers. For the gates to refuse.
typedef struct {
    pd_u32 n;
} padic_k_spill_x_params;
PD_KERNEL(padic_k_spill_x)
(PD_BUF(pd_u32, x), PD_PARAMS(padic_k_spill_x_params, k))
{
    pd_u32 held[400];
    for (pd_u32 i = 0u; i < 400u; i++) held[i] = x[i + PD_LID];
    for (pd_u32 j = 0u; j < k.n; j++) x[j] = held[x[j] % 400u];
}
