//! task spmm
//! launch clear<<<ceil_div(rows * dense_cols, 256), 256>>>(rows * dense_cols, C)
//! launch add_rows<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void clear(int count, float* C)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) C[i] = 0.f;
}
extern "C" __global__ void add_rows(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    for (int j = rp[r]; j < rp[r + 1]; ++j)
        for (int c = threadIdx.x; c < n; c += 8)
            C[r * n + c] += va[j] * B[ci[j] * n + c];   // only this thread touches this element
}
