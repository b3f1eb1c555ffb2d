//! task spmv
//! launch k<<<1, 1>>>(y)
void f() { int a[3]; a[1)]; }
