//! task spmv
// What prepare leaves out is read all the same.
//! prepared begin i32[rows]
//! prepare note<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, begin)
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, begin)
extern "C" __global__ void note(int rows, const int* ptr, int* begin) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r < rows && ptr[r] < ptr[r + 1]) begin[r] = ptr[r];
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, const int* begin) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const int from = begin[r], to = ptr[r + 1];
    float s = 0;
    for (int j = from; j < to; ++j) s += val[j] * x[col[j]];
    y[r] = s;
}
