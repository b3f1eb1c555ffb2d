//! task spmv
//! format hyb(width=8)
//! zero y
//! launch rest<<<ceil_div(hyb.coo_nnz, 64), 64>>>(hyb.coo_nnz, hyb.coo_row, hyb.coo_col, hyb.coo_val, x, y)
//! launch main_part<<<ceil_div(rows, 64), 64>>>(rows, hyb.width, hyb.ell_col, hyb.ell_val, x, y)
extern "C" __global__ void rest(int n, const int* row, const int* col, const float* val, const float* x, float* y) {
    int k = blockIdx.x * 64 + threadIdx.x;
    if (k < n) atomicAdd(y + row[k], val[k] * x[col[k]]);
}
extern "C" __global__ void main_part(int rows, int width, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) { for (int k = 0; k < width; ++k) s += val[k * rows + row] * x[col[k * rows + row]]; y[row] = s; }
}
