//! task spmv
//! launch vec4<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// Values and columns are read four at a time once the position is a multiple of four.
extern "C" __global__ void vec4(int rows, const int* __restrict__ rp, const int* __restrict__ ci, const float* __restrict__ va,
                                const float* __restrict__ x, float* __restrict__ y)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    int j = rp[r];
    const int e = rp[r + 1];
    float s = 0.f;
    for (; j < e && (j & 3); ++j) s += va[j] * x[ci[j]];
    for (; j + 4 <= e; j += 4) {
        const float4 v = *reinterpret_cast<const float4*>(va + j);
        const int4 c = *reinterpret_cast<const int4*>(ci + j);
        s += v.x * x[c.x];
        s += v.y * x[c.y];
        s += v.z * x[c.z];
        s += v.w * x[c.w];
    }
    for (; j < e; ++j) s += va[j] * x[ci[j]];
    y[r] = s;
}
