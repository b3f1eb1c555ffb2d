//! task spmm
//! launch two_rows<<<dim3(ceil_div(rows, 64), dense_cols), 32>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
/* blockIdx.y is the column of B; each thread has two rows */
extern "C" __global__ void two_rows(int rows, int n, const int *rp, const int *ci, const float *va, const float *B, float *C)
{
    int c = blockIdx.y;
    int r0 = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    for (int r = r0; r < r0 + 2 && r < rows; ++r)
    {
        float s = 0;
        for (int j = rp[r]; j < rp[r+1]; ++j)
            s += va[j] * B[ci[j]*n + c];
        C[r*n + c] = s;
    }
}
