//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64, 1000000>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    extern __shared__ float t[];
    t[200000] = 1;
}
