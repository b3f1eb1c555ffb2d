//! task spmv
//! scratch part f32[nnz + 1]
//! scratch sums f32[rows + 1]
//! scratch arrived i32[1] zero
//! launch spmv<<<8, 64>>>(nnz, rows, csr.row_ptr, csr.col, csr.val, x, y, part, sums, arrived)
__device__ void meet(int* arrived, int count) {
    __threadfence(); __syncthreads();
    if (threadIdx.x == 0) { atomicAdd(arrived, 1); while (*(volatile int*)arrived < count) { } }
    __syncthreads(); __threadfence();
}
extern "C" __global__ void spmv(int nnz, int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part, float* sums, int* arrived) {
    for (int k = blockIdx.x * 64 + threadIdx.x; k < nnz; k += 512) part[k] = val[k] * x[col[k]];
    meet(arrived, 8);
    for (int row = blockIdx.x * 64 + threadIdx.x; row < rows; row += 512) { float s = 0; for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += part[k]; sums[row] = s; }
    meet(arrived, 15);
    for (int row = blockIdx.x * 64 + threadIdx.x; row < rows; row += 512) y[rows - 1 - row] = sums[rows - 1 - row];
}
