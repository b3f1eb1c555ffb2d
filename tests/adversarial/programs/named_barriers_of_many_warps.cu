//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int i = 0; i < 3000; ++i) asm volatile("bar.sync %0, 64;" :: "r"(1 + i % 15) : "memory");
    s = 1;
    if (row < rows) y[row] = s;
}
