//! task spmm
//! launch asm_loads<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
__device__ __forceinline__ float load_nc(const float* p)
{
    float v;
    asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(p));
    return v;
}
__device__ __forceinline__ void store_wt(float* p, float v)
{
    asm volatile("st.global.f32 [%0], %1;" :: "l"(p), "f"(v) : "memory");
}
extern "C" __global__ void asm_loads(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= rows * n) return;
    float s = 0.f;
    for (int j = rp[id / n]; j < rp[id / n + 1]; ++j) s += load_nc(va + j) * load_nc(B + ci[j] * n + id % n);
    store_wt(C + id, s);
}
