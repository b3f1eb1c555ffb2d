//! task spmv
// A (x - m) + m (A 1): small differences in half precision, the mean by sums of rows that are prepared.
//! prepared total f32[rows]
//! prepare row_sums<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.val, total)
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y, total)
extern "C" __global__ void row_sums(int rows, const int* ptr, const float* val, float* total) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j];
    total[r] = s;
}
extern "C" __global__ void k(int rows, int cols, const int* ptr, const int* col, const float* val, const float* x, float* y, const float* total) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const float mean = 0.5f * (x[0] + x[cols - 1]);
    float s = mean * total[r];
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * (x[col[j]] - mean);
    y[r] = s;
}
