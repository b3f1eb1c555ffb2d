//! task spmv
//! launch k<<<1, 1>>>(y)
"abc
int b;
