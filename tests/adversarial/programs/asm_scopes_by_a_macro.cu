//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#define A "{{{{{{{{{{"
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define a "}}}}}}}}}}"
#define b a a a a a a a a a a
#define c b b b b b b b b b b
#define d c c c c c c c c c c
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    asm volatile(D D D D D D D D D D d d d d d d d d d d);
    if (row < rows) y[row] = s;
}
