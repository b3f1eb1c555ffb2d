//! task spmv
//! scratch part f32[64 * ceil_div(rows, 64)]
//! scratch ready i32[ceil_div(rows, 64)] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, part, ready)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part, int* ready) {
    int row = blockIdx.x * 64 + threadIdx.x, b = blockIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    part[row] = s;
    // Thread 0 fences and tells; the other 63 have not been waited for.
    if (threadIdx.x == 0) { __threadfence(); atomicExch(ready + b, 1); }
    if (b) {
        if (threadIdx.x == 0) { while (atomicAdd(ready + b - 1, 0) == 0) { } __threadfence(); }
        __syncthreads();
        float other = part[row - 64];
        if (other == 12345.0f) s = 0;
    }
    if (row < rows) y[row] = s;
}
