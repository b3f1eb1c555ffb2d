//! task spmv
//! launch spmv<<<rows, 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float part[8];
    int row = blockIdx.x, lane = threadIdx.x % 32;
    float s = 0;
    for (int k = ptr[row] + threadIdx.x; k < ptr[row + 1]; k += 256) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) part[threadIdx.x / 32] = s;
    if (ptr[row + 1] - ptr[row] <= 4096) __syncthreads();
    if (threadIdx.x == 0) { float t = 0; for (int w = 0; w < 8; ++w) t += part[w]; y[row] = t; }
}
