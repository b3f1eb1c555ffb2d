//! task spmv
//! launch axpby<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)
extern "C" __global__ void axpby(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                 const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y,
                                 float alpha, float beta)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        sum = fmaf(val[i], x[col[i]], sum);
    sum *= alpha;
    // As BLAS: y is not read where beta is 0.
    y[row] = beta == 0.0f ? sum : fmaf(beta, y[row], sum);
}
