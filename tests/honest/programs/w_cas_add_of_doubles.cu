//! task spmv f64
//! format coo
//! zero y
//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
__device__ void add(double* p, double v) {
    unsigned long long* q = (unsigned long long*)p; unsigned long long old = *(volatile unsigned long long*)q, seen;
    do { seen = old; old = atomicCAS(q, seen, __double_as_longlong(__longlong_as_double(seen) + v)); } while (old != seen);
}
extern "C" __global__ void k(int n, const int* row, const int* col, const double* val, const double* x, double* y) {
    const int t = blockIdx.x * 128 + threadIdx.x; if (t < n) add(y + row[t], val[t] * x[col[t]]);
}
