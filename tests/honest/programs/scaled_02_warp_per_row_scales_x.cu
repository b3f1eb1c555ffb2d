//! task spmv
//! launch scaled_x<<<ceil_div(rows * 32, 256), 256>>>(alpha, beta, rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void scaled_x(float alpha, float beta, int rows, const int* row_ptr, const int* col,
                                    const float* val, const float* x, float* y)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (row >= rows)
        return;
    float sum = 0;
    if (lane == 0 && beta != 0)
        sum = beta * y[row]; // The old element is one more summand.
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32)
        sum += val[i] * (alpha * x[col[i]]);
    for (int step = 16; step > 0; step >>= 1)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (lane == 0)
        y[row] = sum;
}
