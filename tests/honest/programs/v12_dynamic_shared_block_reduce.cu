//! task spmv
//! launch spmv_dyn<<<ceil_div(rows, 2), dim3(64, 2), 4 * 4>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern __shared__ float smem[];

__device__ float warpSum(float v) {
    for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
    return v;
}

extern "C" __global__ void spmv_dyn(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 2 + threadIdx.y;
    float v = 0.f;
    if (row < rows)
        for (int j = row_ptr[row] + threadIdx.x; j < row_ptr[row + 1]; j += 64) v += val[j] * x[col[j]];
    v = warpSum(v);
    if ((threadIdx.x & 31) == 0) smem[threadIdx.y * 2 + (threadIdx.x >> 5)] = v;
    __syncthreads();
    if (threadIdx.x == 0 && row < rows) y[row] = smem[threadIdx.y * 2] + smem[threadIdx.y * 2 + 1];
}
