//! task spmv
//! scratch part f32[nnz + 1]
//! launch spmv<<<ceil_div(nnz, 128), 128>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y, part)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part) {
    int k = blockIdx.x * 128 + threadIdx.x;
    if (k < nnz) part[k] = val[k] * x[col[k]];
    __syncthreads();
    // Rows that end in this block; their start may lie in another.
    for (int row = k; row < rows; row += gridDim.x * 128) { float s = 0; for (int i = ptr[row]; i < ptr[row + 1]; ++i) s += part[i]; y[row] = s; }
}
