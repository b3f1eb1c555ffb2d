//! task spmv
//! format hyb(width=4)
//! launch hyb_ell<<<ceil_div(rows, 128), 128>>>(rows, hyb.width, hyb.ell_col, hyb.ell_val, x, y)
//! launch hyb_coo<<<ceil_div(hyb.coo_nnz, 128), 128>>>(hyb.coo_nnz, hyb.coo_row, hyb.coo_col, hyb.coo_val, x, y)
extern "C" {

__global__ void hyb_ell(int rows, int width, const int* col, const float* val, const float* x, float* y)
{
    const int r = threadIdx.x + blockIdx.x * blockDim.x;
    if (r >= rows) return;
    float s = 0.0f;
    for (int k = 0; k < width; ++k) s += val[k * rows + r] * x[col[k * rows + r]];
    y[r] = s;
}

__global__ void hyb_coo(int n, const int* row, const int* col, const float* val, const float* x, float* y)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) atomicAdd(y + row[i], val[i] * x[col[i]]);
}

} // extern "C"
