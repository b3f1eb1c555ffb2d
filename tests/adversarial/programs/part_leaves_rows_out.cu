//! task spmv
//! part p = rows with length in [1, 20)
//! launch spmv<<<ceil_div(p.rows, 64), 64>>>(p.rows, p.row_ids, p.row_ptr, p.col, p.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[ids[row]] = s;
}
