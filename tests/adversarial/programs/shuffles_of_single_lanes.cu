//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int i = 0; i < 3000; ++i) for (int l = 0; l < 32; ++l) if ((threadIdx.x & 31) == l) s += __shfl_sync(1u << l, s, l);
    s = 1;
    if (row < rows) y[row] = s;
}
