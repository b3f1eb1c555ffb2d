//! task spmv
//! launch k<<<1, 1>>>(y)
template <int N, typename T = float> struct S { T v[N]; };
template <> struct S<1> {};
