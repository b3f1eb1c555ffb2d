//! task spmv f64
//! format csc
//! zero y
//! launch k<<<ceil_div(cols, 64), 64>>>(cols, csc.col_ptr, csc.row, csc.val, x, y)
extern "C" __global__ void k(int n, const int* ptr, const int* row, const double* val, const double* x, double* y) {
    const int c = blockIdx.x * 64 + threadIdx.x; if (c >= n) return;
    for (int i = ptr[c]; i < ptr[c + 1]; ++i) {
        unsigned long long* q = (unsigned long long*)(y + row[i]); unsigned long long old = 0, seen;
        do { seen = old; old = atomicCAS(q, seen, __double_as_longlong(val[i] * x[c] + __longlong_as_double(seen))); } while (seen != old);
    }
}
