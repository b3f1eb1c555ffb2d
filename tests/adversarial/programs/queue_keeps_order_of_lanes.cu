//! task   spmv
//! scratch count i32[ceil_div(rows, 32)] zero
//! scratch list i32[32 * ceil_div(rows, 32)]
//! launch pick<<<ceil_div(rows, 32), 32>>>(rows, csr.row_ptr, y, count, list)
//! launch k<<<ceil_div(rows, 32), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, count, list)
// Non-empty rows are queued by atomics (each takes as much as its row's parity, so no warp-wide aggregation);
// the second launch finds its row by its rank among the non-empty ones before it: in the order of lanes.
extern "C" __global__ void pick(int rows, const int* row_ptr, float* y, int* count, int* list)
{
    const int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows) return;
    if (row_ptr[row] == row_ptr[row + 1]) { y[row] = 0; return; }
    list[blockIdx.x * 32 + atomicAdd(&count[blockIdx.x], 1)] = row;
}
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y, const int* count, const int* list)
{
    const int t = threadIdx.x, b = blockIdx.x;
    if (t >= count[b]) return;
    const int row = list[b * 32 + t];
    // Trusts that rows ascend: everything from the end of the row before it, by the list, is this row's.
    const int from = t == 0 ? row_ptr[b * 32] : row_ptr[list[b * 32 + t - 1] + 1];
    float s = 0;
    for (int i = from; i < row_ptr[row + 1]; ++i) s += val[i] * x[col[i]];
    y[row] = s;
}
