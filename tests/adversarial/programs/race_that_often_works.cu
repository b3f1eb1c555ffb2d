//! task spmv
//! format coo
//! zero y
//! launch spmv<<<ceil_div(nnz, 64), 64>>>(nnz, coo.row, coo.col, coo.val, x, y)
extern "C" __global__ void spmv(int nnz, const int* r, const int* c, const float* v, const float* x, float* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < nnz) y[r[i]] += v[i] * x[c[i]];
}
