//! task spmv
//! scratch arrived i32[1] zero
//! launch spmv<<<20000, 1024>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, arrived)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* arrived) {
    int row = blockIdx.x * 1024 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    // More blocks than any device holds at once, and each waits for all.
    if (threadIdx.x == 0) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < 20000) { } }
    __syncthreads();
    if (row < rows) y[row] = s;
}
