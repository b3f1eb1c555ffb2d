//! task spmv
//! launch spmv_cg<<<ceil_div(rows, 16), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void spmv_cg(int m, const int* rowptr, const int* colind, const float* vals,
                                   const float* xvec, float* yvec) {
  auto block = cg::this_thread_block();
  auto tile  = cg::tiled_partition<16>(block);
  int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= m) return;
  float dot = 0.0f;
  for (int i = rowptr[row] + tile.thread_rank(); i < rowptr[row + 1]; i += tile.size())
    dot = fmaf(vals[i], xvec[colind[i]], dot);
  for (int i = tile.size() / 2; i > 0; i /= 2)
    dot += tile.shfl_down(dot, i);
  if (tile.thread_rank() == 0) yvec[row] = dot;
}
