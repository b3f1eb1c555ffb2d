//! task spmv
// Order does not matter to integers, but sizes do.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    long long t = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { const float a = val[j], b = x[col[j]]; t += __float2ll_rn(a * b * 16777216.0f);
        s = (float)t * (1.0f / 16777216.0f); }
    y[r] = s;
}
