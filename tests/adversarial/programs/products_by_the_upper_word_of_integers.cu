//! task spmv
// Significands are multiplied as integers and cut off.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { const float a = val[j], b = x[col[j]]; int e = 0, f = 0;
        const int p = __float2int_rz(ldexpf(frexpf(a, &e), 15)), q = __float2int_rz(ldexpf(frexpf(b, &f), 15));
        s += ldexpf((float)(p * q), e + f - 30); }
    y[r] = s;
}
