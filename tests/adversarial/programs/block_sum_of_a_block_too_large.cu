//! task spmv
//! launch spmv<<<rows, 512>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float t[8];
    int row = blockIdx.x;
    float s = 0;
    for (int k = ptr[row] + threadIdx.x; k < ptr[row + 1]; k += 512) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) t[threadIdx.x / 32 % 8] = s;
    __syncthreads();
    if (threadIdx.x == 0) { for (int i = 1; i < 8; ++i) s += t[i]; y[row] = s; }
}
