//! task spmv
//! prepared q u8[nnz]
//! prepared unit f32[1]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, q, unit, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, q, unit, fits, x, y)
// Values that are small multiples of one power of two are kept as bytes (with 128 added).
extern "C" __global__ void look(int nnz, const float* val, unsigned char* q, float* unit, int* fits) {
    __shared__ int least;
    if (threadIdx.x == 0) least = 1000;
    __syncthreads();
    int low = 1000;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        float v = val[i];
        if (v == 0.f) continue;
        int e; float f = frexpf(v, &e);
        int m = abs((int)ldexpf(f, 24));
        low = min(low, e - 24 + __ffs(m) - 1);
    }
    atomicMin(&least, low);
    __syncthreads();
    int u = least == 1000 ? 0 : least, all = u >= -126 && u <= 100;
    for (int i = threadIdx.x; i < nnz; i += 256) {
        float n = ldexpf(val[i], -u);
        int ok = fabsf(n) <= 127.f;
        all &= ok;
        q[i] = ok ? (unsigned char)((int)n + 128) : 128;
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) { unit[0] = ldexpf(1.f, u); fits[0] = all; }
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const unsigned char* q, const float* unit, const int* fits, const float* x, float* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    float s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += (float)((int)q[j] - 128) * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = fits[0] ? unit[0] * s : s;
}
