//! task spmm
//! launch gemm<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C, alpha, beta)
extern "C" __global__ void gemm(int rows, int n, const int* row_ptr, const int* col, const float* val, const float* B,
                                float* C, float alpha, float beta)
{
    const int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at >= rows * n)
        return;
    const int row = at / n, j = at % n;
    float sum = 0;
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        sum += val[i] * B[col[i] * n + j];
    if (beta == 0)
        C[at] = alpha * sum;
    else
        C[at] = alpha * sum + beta * C[at];
}
