//! task spmv
//! format sell(slice=32, sigma=256)
//! launch spmv_sell<<<ceil_div(sell.slices, 4), 128>>>(sell.slices, sell.slice_ptr, sell.col, sell.val, sell.row_ids, x, y)
namespace sell {
constexpr int kSlice = 32;

__device__ __forceinline__ int lane() { return threadIdx.x & (kSlice - 1); }
__device__ __forceinline__ int slice() { return (blockIdx.x * blockDim.x + threadIdx.x) / kSlice; }
}  // namespace sell

extern "C" __global__ void spmv_sell(int slices, const int* slice_ptr, const int* col, const float* val,
                                     const int* row_ids, const float* x, float* y)
{
    const int s = sell::slice();
    if (s >= slices) return;
    const int lane = sell::lane();
    const int row = row_ids[s * sell::kSlice + lane];
    float acc = 0.f;
    for (int p = slice_ptr[s] + lane; p < slice_ptr[s + 1]; p += sell::kSlice)
        acc += val[p] * x[col[p]];
    if (row >= 0) y[row] = acc;
}
