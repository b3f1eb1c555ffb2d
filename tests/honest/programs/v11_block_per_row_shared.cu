//! task spmv
//! launch row_block<<<rows, 64>>>(csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void row_block(const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ float partial[64];
    const int row = blockIdx.x;
    const int tid = threadIdx.x;
    float t = 0;
    for (int j = row_ptr[row] + tid; j < row_ptr[row + 1]; j += blockDim.x)
        t += val[j] * x[col[j]];
    partial[tid] = t;
    __syncthreads();
    // tree reduction in shared memory
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) partial[tid] += partial[tid + s];
        __syncthreads();
    }
    if (tid == 0) y[row] = partial[0];
}
