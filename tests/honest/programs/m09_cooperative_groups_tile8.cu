//! task spmm
//! launch cg_tile<<<ceil_div(rows, 16), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void cg_tile(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    const int r = block.group_index().x * tile.meta_group_size() + tile.meta_group_rank();
    __shared__ float stage[16][8];
    for (int c = tile.thread_rank(); c < n; c += tile.size()) {
        float s = 0.f;
        if (r < rows)
            for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];
        stage[tile.meta_group_rank()][tile.thread_rank()] = s;
        tile.sync();
        if (r < rows) C[r * n + c] = stage[tile.meta_group_rank()][tile.thread_rank()];
    }
    block.sync();
}
