//! task spmv
//! zero y
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int i = 0; i < 4000; ++i) { atomicAdd_block(y, 1.0f); atomicAdd(y, 1.0f); atomicAdd_system(y, 1.0f); }
    if (row < rows) y[row] = s;
}
