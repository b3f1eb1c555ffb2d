//! task spmv
//! launch spmv_vector<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

constexpr int WARP_SIZE = 32;
constexpr int BLOCK_SIZE = 256;
constexpr int WARPS_PER_BLOCK = BLOCK_SIZE / WARP_SIZE;
constexpr unsigned int FULL_MASK = 0xffffffffu;

__device__ __forceinline__ float warp_reduce_sum(float val) {
  #pragma unroll
  for (int offset = WARP_SIZE / 2; offset > 0; offset /= 2) {
    val += __shfl_down_sync(FULL_MASK, val, offset);
  }
  return val;
}

extern "C" __global__ void __launch_bounds__(BLOCK_SIZE)
spmv_vector(const int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
  const int lane = threadIdx.x % WARP_SIZE;
  const int warp_in_block = threadIdx.x / WARP_SIZE;
  const int row = blockIdx.x * WARPS_PER_BLOCK + warp_in_block;
  if (row >= rows) return;   // whole warps leave together

  float acc = 0.0f;
  for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += WARP_SIZE) {
    acc += __ldg(&val[k]) * __ldg(&x[__ldg(&col[k])]);
  }
  acc = warp_reduce_sum(acc);
  if (lane == 0) y[row] = acc;
}
