//! task spmv
// Lanes vote inside a loop that others have left.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    const int lane = threadIdx.x % 32, r = blockIdx.x * 4 + threadIdx.x / 32;
    float s = 0;
    int rounds = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) {
        s += val[j] * x[col[j]];
        rounds += __any_sync(~0u, j + 32 < ptr[r + 1]);
    }
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0 && r < rows) y[r] = rounds >= 0 ? s : 0;
}
