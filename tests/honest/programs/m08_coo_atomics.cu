//! task spmm
//! format coo
//! zero C
//! launch coo_spmm<<<dim3(ceil_div(nnz, 16), 1), dim3(8, 16)>>>(nnz, dense_cols, coo.row, coo.col, coo.val, B, C)
extern "C" __global__ void coo_spmm(int nnz, int n, const int* row, const int* col, const float* val, const float* B, float* C)
{
    const int i = blockIdx.x * blockDim.y + threadIdx.y;
    if (i >= nnz) return;
    const float a = val[i];
    for (int c = threadIdx.x; c < n; c += blockDim.x)
        atomicAdd(&C[row[i] * n + c], a * B[col[i] * n + c]);
}
