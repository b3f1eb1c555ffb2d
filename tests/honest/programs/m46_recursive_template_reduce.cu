//! task spmm
//! launch tree<<<ceil_div(rows, 2), dim3(32, 2)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
template <int Width> struct Reduce {
    static __device__ float run(float v) { return Reduce<Width / 2>::run(v + __shfl_down_sync(0xffffffffu, v, Width / 2)); }
};
template <> struct Reduce<1> {
    static __device__ float run(float v) { return v; }
};
extern "C" __global__ void tree(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * 2 + threadIdx.y;
    if (r >= rows) return;
    for (int c = 0; c < n; ++c) {
        float v = 0.f;
        for (int j = rp[r] + threadIdx.x; j < rp[r + 1]; j += warpSize) v += va[j] * B[ci[j] * n + c];
        v = Reduce<32>::run(v);
        if (threadIdx.x == 0) C[r * n + c] = v;
    }
}
