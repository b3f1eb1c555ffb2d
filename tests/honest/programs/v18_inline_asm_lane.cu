//! task spmv
//! launch asm_lane<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
static __device__ __forceinline__ unsigned lane_id()
{
    unsigned ret;
    asm volatile ("mov.u32 %0, %%laneid;" : "=r"(ret));
    return ret;
}
static __device__ __forceinline__ float fma_asm(float a, float b, float c)
{
    float d;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c));
    return d;
}
extern "C" __global__ void asm_lane(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (row < rows) {
        float s = 0.f;
        for (int j = rp[row] + lane_id(); j < rp[row + 1]; j += warpSize) s = fma_asm(va[j], x[ci[j]], s);
        s += __shfl_xor_sync(0xffffffff, s, 16);
        s += __shfl_xor_sync(0xffffffff, s, 8);
        s += __shfl_xor_sync(0xffffffff, s, 4);
        s += __shfl_xor_sync(0xffffffff, s, 2);
        s += __shfl_xor_sync(0xffffffff, s, 1);
        if (lane_id() == 0) y[row] = s;
    }
}
