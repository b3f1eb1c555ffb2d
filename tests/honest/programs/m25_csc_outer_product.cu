//! task spmm
//! format csc
//! zero C
//! launch outer<<<ceil_div(cols, 16), dim3(8, 16)>>>(cols, dense_cols, csc.col_ptr, csc.row, csc.val, B, C)
extern "C" __global__ void outer(int cols, int n, const int* cp, const int* row, const float* val, const float* B, float* C)
{
    const int k = blockIdx.x * blockDim.y + threadIdx.y;
    if (k < cols)
        for (int c = threadIdx.x; c < n; c += blockDim.x) {
            const float b = B[k * n + c];
            for (int p = cp[k]; p < cp[k + 1]; ++p) atomicAdd(&C[row[p] * n + c], val[p] * b);
        }
}
