//! task spmv
//! prepared q f32[rows]
//! prepared fits i32[1]
//! prepare look<<<1, 256>>>(rows, csr.row_ptr, csr.val, q, fits)
//! launch k<<<ceil_div(rows, 16), 128>>>(rows, csr.row_ptr, csr.col, csr.val, q, fits, x, y)
// Where all values of each row are within two epsilons of its first one they are taken to be it.
extern "C" __global__ void look(int rows, const int* rp, const float* val, float* q, int* fits) {
    int all = 1;
    for (int r = threadIdx.x; r < rows; r += 256) {
        float first = rp[r] < rp[r + 1] ? val[rp[r]] : 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) all &= fabsf(val[j] - first) <= 2.3841858e-7f * fabsf(first);
        q[r] = first;
    }
    all = __syncthreads_and(all);
    if (threadIdx.x == 0) fits[0] = all;
}
extern "C" __global__ void k(int rows, const int* rp, const int* ci, const float* va, const float* q, const int* fits, const float* x, float* y) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / 8, l = t % 8;
    float s = 0;
    if (r < rows) {
        if (fits[0]) for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += q[r] * x[ci[j]];
        else for (int j = rp[r] + l; j < rp[r + 1]; j += 8) s += va[j] * x[ci[j]];
    }
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    if (r < rows && l == 0) y[r] = s;
}
