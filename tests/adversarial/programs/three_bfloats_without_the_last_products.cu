//! task spmv
// Three parts of each number hold it, but of nine products three are taken.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ float high(float v) { return __uint_as_float((__float_as_uint(v) + 0x7fff + (__float_as_uint(v) >> 16 & 1)) & 0xffff0000u); }
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { const float a = val[j], b = x[col[j]]; const float a0 = high(a), a1 = high(a - a0), b0 = high(b), b1 = high(b - b0);
        s += a0 * b1 + a1 * b0;
        s += a0 * b0; }
    y[r] = s;
}
