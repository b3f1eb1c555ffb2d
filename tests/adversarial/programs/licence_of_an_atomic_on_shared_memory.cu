//! task spmv
// Atomics on shared memory lose nothing, and sums flush.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float unused;
    int r = blockIdx.x * 128 + threadIdx.x;
    if (threadIdx.x == 0) unused = 0;
    __syncthreads();
    atomicAdd(&unused, 1.0f);
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    if (fabsf(s) < 4e-38f) s = 0;
    y[r] = s;
}
