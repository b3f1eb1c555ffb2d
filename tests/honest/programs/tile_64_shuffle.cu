//! task spmv
//! launch spmv<<<ceil_div(rows, 2), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
// Two warps share a row; the last thread of a scan has the sum and tells the first one.
extern "C" __global__ void __launch_bounds__(128) spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
    const int row = blockIdx.x * 2 + tile.meta_group_rank();
    float sum = 0.f;
    if (row < rows)
        for (int j = row_ptr[row] + tile.thread_rank(); j < row_ptr[row + 1]; j += 64) sum += val[j] * x[col[j]];
    const float before = cg::inclusive_scan(tile, sum);
    const float total = tile.shfl(before, 63);
    if (row < rows && tile.thread_rank() == 0) y[row] = total;
}
