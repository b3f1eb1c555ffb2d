//! task spmv
//! launch spmv<<<ceil_div(rows, 512), 512>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// A thread for each row; a tile of 512 goes on while one of its rows has entries left.
extern "C" __global__ void __launch_bounds__(512) spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ cg::block_tile_memory<512> memory;
    const auto tile = cg::tiled_partition<512>(cg::this_thread_block(memory));
    const int row = blockIdx.x * 512 + tile.thread_rank();
    int j = row < rows ? row_ptr[row] : 0;
    const int end = row < rows ? row_ptr[row + 1] : 0;
    float sum = 0.f;
    while (tile.any(j < end))
        for (int k = 0; k < 64 && j < end; ++k, ++j) sum += val[j] * x[col[j]];
    tile.sync();
    if (row < rows) y[row] = sum;
}
