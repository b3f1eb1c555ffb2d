//! task spmv
//! format coo
//! launch scale<<<ceil_div(rows, 256), 256>>>(rows, beta, y)
//! launch add<<<ceil_div(nnz, 256), 256>>>(nnz, alpha, coo.row, coo.col, coo.val, x, y)
extern "C" __global__ void scale(int rows, float beta, float* y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        if (beta == 0)
            y[row] = 0;
        else if (beta != 1)
            y[row] *= beta;
    }
}
extern "C" __global__ void add(int nnz, float alpha, const int* row, const int* col, const float* val,
                               const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz)
        atomicAdd(&y[row[i]], alpha * val[i] * x[col[i]]);
}
