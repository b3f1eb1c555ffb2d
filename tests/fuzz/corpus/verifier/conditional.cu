//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) {
#else
}}}} " ' (
#endif
    y[threadIdx.x % 1] = 0;
}
