//! task spmv
//! launch k<<<1, 1>>>(y)
int a;
//! task spmv
