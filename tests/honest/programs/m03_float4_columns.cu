//! task spmm
//! launch by_four<<<ceil_div(rows * (dense_cols / 4), 128), 128>>>(rows, dense_cols / 4, csr.row_ptr, csr.col, csr.val, B, C)
__device__ __forceinline__ void fma4(float4& acc, float a, const float4& b)
{
    acc.x = fmaf(a, b.x, acc.x);
    acc.y = fmaf(a, b.y, acc.y);
    acc.z = fmaf(a, b.z, acc.z);
    acc.w = fmaf(a, b.w, acc.w);
}
extern "C" __global__ void by_four(int rows, int quads, const int* rp, const int* ci, const float* va, const float4* B, float4* C)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int r = t / quads, q = t % quads;
    if (r >= rows) return;
    float4 acc = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int j = rp[r]; j < rp[r + 1]; ++j) fma4(acc, va[j], B[ci[j] * quads + q]);
    C[r * quads + q] = acc;
}
