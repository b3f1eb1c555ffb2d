//! task spmv
//! const __CUDA_ARCH__ = 1
