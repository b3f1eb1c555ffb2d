//! task spmv
//! launch spmv_subwarp<<<ceil_div(rows * 8, 256), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
template <int GROUP>
__device__ inline float groupSum(float v)
{
    #pragma unroll
    for (int d = GROUP / 2; d >= 1; d >>= 1)
        v += __shfl_xor_sync(0xFFFFFFFF, v, d, GROUP);
    return v;
}

template <int GROUP>
__device__ void spmvRows(int rows, const int* rowPtr, const int* cols, const float* vals, const float* x, float* y)
{
    const int tid   = blockIdx.x * blockDim.x + threadIdx.x;
    const int row   = tid / GROUP;
    const int inner = tid % GROUP;
    float partial = 0.f;
    if (row < rows) {
        for (int p = rowPtr[row] + inner, e = rowPtr[row + 1]; p < e; p += GROUP)
            partial += vals[p] * x[cols[p]];
    }
    partial = groupSum<GROUP>(partial);
    if (row < rows && inner == 0)
        y[row] = partial;
}

extern "C" __global__ void spmv_subwarp(int rows, const int* rowPtr, const int* cols, const float* vals,
                                        const float* x, float* y)
{
    spmvRows<8>(rows, rowPtr, cols, vals, x, y);
}
