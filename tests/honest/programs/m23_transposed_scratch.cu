//! task spmm
//! scratch Bt f32[cols * dense_cols]
//! launch transpose<<<ceil_div(cols * dense_cols, 256), 256>>>(cols, dense_cols, B, Bt)
//! launch multiply<<<dim3(ceil_div(rows, 64), dense_cols), 64>>>(rows, cols, dense_cols, csr.row_ptr, csr.col, csr.val, Bt, C)
extern "C" __global__ void transpose(int k, int n, const float* B, float* Bt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < k * n) Bt[(i % n) * k + i / n] = B[i];
}
extern "C" __global__ void multiply(int m, int k, int n, const int* rp, const int* ci, const float* va, const float* Bt, float* C)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const float* column = Bt + blockIdx.y * k;
    if (r < m) {
        float s = 0.0f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * column[ci[j]];
        C[r * n + blockIdx.y] = s;
    }
}
