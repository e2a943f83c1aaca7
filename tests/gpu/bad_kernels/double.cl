// program: double
// double.cl: arithmetic that devices need not have. For the gates to refuse.
#define PASTE(a, b) a##b
typedef struct {
    pd_u32 n;
} padic_k_double_x_params;
PD_KERNEL(padic_k_double_x)
(PD_BUF(pd_f32, x), PD_PARAMS(padic_k_double_x_params, k))
{
    typedef PASTE(dou, ble) wide; // tools/kernels.py would see the word itself
    const wide y = x[PD_LID];
    x[PD_LID] = (pd_f32)(y * y + k.n);
}
