//! task spmv
// a b = ((a + b)^2 - (a - b)^2) / 4.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { const float a = val[j], b = x[col[j]]; s += 0.25f * ((a + b) * (a + b) - (a - b) * (a - b)); }
    y[r] = s;
}
