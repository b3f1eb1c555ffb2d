//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int i = 0; i < 100; ++i) { __threadfence(); atomicAdd(y + (row * 37 + i) % rows, 1.0f); __threadfence(); }
    if (row < rows) y[row] = s;
}
