//! task spmv
//! const A = 1
//! const A = 2
