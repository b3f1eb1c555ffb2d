//! task spmm
//! launch rows_of_block<<<ceil_div(rows, 32), 256>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
// Row pointers of the block are staged in shared memory.
constexpr int ROWS = 32, THREADS = 256;
extern "C" __global__ __launch_bounds__(THREADS) void rows_of_block(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ int start[ROWS + 1];
    const int first = blockIdx.x * ROWS;
    const int count = min(ROWS, rows - first);
    if (threadIdx.x <= count) start[threadIdx.x] = rp[first + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.x; i < count * n; i += THREADS) {
        const int local = i / n, c = i - local * n;
        float s = 0.f;
        for (int j = start[local]; j < start[local + 1]; ++j) s = fmaf(va[j], B[ci[j] * n + c], s);
        C[(first + local) * n + c] = s;
    }
}
