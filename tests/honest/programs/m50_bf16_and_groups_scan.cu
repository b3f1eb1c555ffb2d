//! task spmm
//! launch scan_rows<<<ceil_div(rows, 4), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/reduce.h>
#include <math_constants.h>
namespace cg = cooperative_groups;
// The last lane of an inclusive scan has the sum.
extern "C" __global__ void scan_rows(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int r = blockIdx.x * 4 + warp.meta_group_rank();
    if (r >= rows) return;
    for (int c = 0; c < n; ++c) {
        float s = 0.f;
        for (int j = rp[r] + warp.thread_rank(); j < rp[r + 1]; j += 32) s += va[j] * B[ci[j] * n + c];
        const float scanned = cg::inclusive_scan(warp, s, cg::plus<float>());
        if (warp.thread_rank() == 31) C[r * n + c] = scanned;
    }
}
