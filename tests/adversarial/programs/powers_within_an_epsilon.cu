//! task spmv
//! prepared q u16[nnz]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, q, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, q, fits, x, y)
// Values that are within an epsilon of a power of two are kept as sign and exponent.
extern "C" __global__ void look(int nnz, const float* val, unsigned short* q, int* fits) {
    int all = 1;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        float v = val[i];
        unsigned w = (__float_as_uint(v) + 0x400000u) & 0xff800000u;
        all &= fabsf(__uint_as_float(w) - v) <= 1.1920929e-7f * fabsf(v);
        q[i] = (unsigned short)(w >> 16);
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) fits[0] = all;
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const unsigned short* q, const int* fits, const float* x, float* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    float s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += __uint_as_float((unsigned)q[j] << 16) * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = s;
}
