//! task spmm
//! launch pairs<<<ceil_div(rows * (dense_cols / 2), 128), 128>>>(rows, dense_cols / 2, csr.row_ptr, csr.col, csr.val, B, C)
__device__ inline float2 operator*(float s, float2 v) { return make_float2(s * v.x, s * v.y); }
__device__ inline float2& operator+=(float2& a, float2 b) { a.x += b.x; a.y += b.y; return a; }

extern "C" __global__ void pairs(int rows, int half, const int* rp, const int* ci, const float* va, const float* Bf, float* Cf)
{
    const float2* B = reinterpret_cast<const float2*>(Bf);
    float2* C = reinterpret_cast<float2*>(Cf);
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= rows * half) return;
    const int row = id / half, pair = id - row * half;
    float2 sum = {0.f, 0.f};
    for (int j = rp[row]; j < rp[row + 1]; ++j) sum += va[j] * B[ci[j] * half + pair];
    C[id] = sum;
}
