//! task spmm
//! launch fixed_width<<<ceil_div(rows, 32), dim3(4, 32)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
template <int PER> struct Tile {
    float v[PER];
    __device__ Tile() { for (int i = 0; i < PER; ++i) v[i] = 0.0f; }
    __device__ void accumulate(float a, const float* b, int stride, int limit) {
        #pragma unroll
        for (int i = 0; i < PER; ++i) if (i * stride < limit) v[i] += a * b[i * stride];
    }
    __device__ void store(float* c, int stride, int limit) const {
        #pragma unroll
        for (int i = 0; i < PER; ++i) if (i * stride < limit) c[i * stride] = v[i];
    }
};

extern "C" __global__ void fixed_width(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C) {
    const int r = blockIdx.x * 32 + threadIdx.y;
    if (r >= rows) return;
    for (int c = threadIdx.x; c < n; c += 16) {
        Tile<4> t;
        for (int j = rp[r]; j < rp[r + 1]; ++j) t.accumulate(va[j], B + ci[j] * n + c, 4, n - c);
        t.store(C + r * n + c, 4, n - c);
    }
}
