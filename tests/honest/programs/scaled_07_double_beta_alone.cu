//! task spmm f64
//! launch residual<<<dim3(ceil_div(rows, 32), dense_cols), 32>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C, beta)
extern "C" __global__ void residual(int rows, int n, const int* row_ptr, const int* col, const double* val,
                                    const double* B, double* C, double beta)
{
    const int row = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y;
    if (row >= rows)
        return;
    double sum = beta == 0 ? 0 : beta * C[row * n + j];
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i)
        sum += val[i] * B[col[i] * n + j];
    C[row * n + j] = sum;
}
