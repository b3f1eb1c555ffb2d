//! task spmv
// y is what it was, and what comes to it.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) atomicAdd(y + r, val[j] * x[col[j]]);
}
