//! task spmv
// Ã(
