//! task spmv
//! launch spmv_reduce<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
using namespace cooperative_groups;

extern "C" __global__ void spmv_reduce(int n, const int* rp, const int* ci, const float* a, const float* x, float* y)
{
    thread_block tb = this_thread_block();
    thread_block_tile<32> warp = tiled_partition<32>(tb);
    const int row = tb.group_index().x * 4 + warp.meta_group_rank();
    if (row < n) {
        float s = 0;
        for (int j = rp[row] + warp.thread_rank(); j < rp[row + 1]; j += 32) s += a[j] * x[ci[j]];
        s = reduce(warp, s, plus<float>());
        if (warp.thread_rank() == 0) y[row] = s;
    }
}
