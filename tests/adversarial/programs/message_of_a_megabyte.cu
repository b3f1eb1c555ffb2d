//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
template <class A, class B> struct P {};
template <int N> struct T { using t = P<typename T<N - 1>::t, typename T<N - 1>::t>; };
template <> struct T<0> { using t = int; };
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    T<18>::t t; t.nothing();
    if (row < rows) y[row] = s;
}
