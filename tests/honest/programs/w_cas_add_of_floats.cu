//! task spmv
//! format coo
//! zero y
//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
// the loop of the CUDA C++ Programming Guide, for floats
__device__ float add(float* p, float v) {
    unsigned* q = (unsigned*)p; unsigned old = *(volatile unsigned*)q, seen;
    do { seen = old; old = atomicCAS(q, seen, __float_as_uint(v + __uint_as_float(seen))); } while (seen != old);
    return __uint_as_float(old);
}
extern "C" __global__ void k(int n, const int* row, const int* col, const float* val, const float* x, float* y) {
    const int t = blockIdx.x * 128 + threadIdx.x; if (t < n) add(y + row[t], val[t] * x[col[t]]);
}
