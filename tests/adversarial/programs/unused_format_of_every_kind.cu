//! task spmv
//! format coo
//! format csc
//! format ell
//! format hyb(width=4)
//! format bsr(block=3)
//! format csr5(sigma=8)
//! format tiles(items=7)
//! format blocks(nnz=100)
//! format windows(rows=8)
//! format panels(width=64)
//! format order
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = s;
}
