//! task spmv
//! zero y
//! launch k<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // 32 lanes a row; each adds its sum to y by compare-and-swap
    const int r = blockIdx.x * 8 + threadIdx.x / 32, l = threadIdx.x % 32; if (r >= rows) return;
    float s = 0; for (int i = ptr[r] + l; i < ptr[r + 1]; i += 32) s += val[i] * x[col[i]];
    if (ptr[r] + l >= ptr[r + 1]) return;
    unsigned* q = (unsigned*)(y + r); unsigned old = *(volatile unsigned*)q, seen;
    do { seen = old; old = atomicCAS(q, seen, __float_as_uint(s + __uint_as_float(seen))); } while (seen != old);
}
