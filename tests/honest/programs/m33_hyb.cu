//! task spmm
//! format hyb(quantile=80)
//! launch regular<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, hyb.width, hyb.ell_col, hyb.ell_val, B, C)
//! launch rest<<<ceil_div(hyb.coo_nnz, 16), dim3(8, 16)>>>(hyb.coo_nnz, dense_cols, hyb.coo_row, hyb.coo_col, hyb.coo_val, B, C)
extern "C" __global__ void regular(int rows, int n, int w, const int* col, const float* val, const float* B, float* C)
{
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int k = 0; k < w; ++k) s += val[k * rows + r] * B[col[k * rows + r] * n + c];
        C[r * n + c] = s;
    }
}
extern "C" __global__ void rest(int count, int n, const int* row, const int* col, const float* val, const float* B, float* C)
{
    const int i = blockIdx.x * 16 + threadIdx.y;
    if (i >= count) return;
    for (int c = threadIdx.x; c < n; c += 8) atomicAdd(&C[row[i] * n + c], val[i] * B[col[i] * n + c]);
}
