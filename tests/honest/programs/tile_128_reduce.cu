//! task spmv
//! launch spmv<<<ceil_div(rows, 4), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
// Four rows of a block, by tiles of 128 threads.
extern "C" __global__ void __launch_bounds__(256) spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ cg::block_tile_memory<256> memory;
    const cg::thread_block block = cg::this_thread_block(memory);
    const auto tile = cg::tiled_partition<128>(block);
    for (int i = tile.meta_group_rank(); i < 4; i += tile.meta_group_size()) {
        const int row = blockIdx.x * 4 + i;
        float sum = 0.f;
        if (row < rows)
            for (int j = row_ptr[row] + tile.thread_rank(); j < row_ptr[row + 1]; j += tile.num_threads()) sum += val[j] * x[col[j]];
        sum = cg::reduce(tile, sum, cg::plus<float>());
        if (row < rows && tile.thread_rank() == 0) y[row] = sum;
    }
}
