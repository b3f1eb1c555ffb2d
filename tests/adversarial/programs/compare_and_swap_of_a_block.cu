//! task spmv
//! zero y
//! launch spmv<<<dim3(ceil_div(rows, 64), 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 4) s += val[k] * x[col[k]];
    unsigned* p = (unsigned*)(y + row), old = *(volatile unsigned*)p, seen;
    do { seen = old; asm volatile("atom.cta.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(p), "r"(seen), "r"(__float_as_uint(__uint_as_float(seen) + s)) : "memory"); } while (old != seen);
}
