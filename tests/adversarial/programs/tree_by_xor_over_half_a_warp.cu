//! task spmv
// Sixteen lanes a row, and a width of 32 in every shuffle.
//! launch k<<<ceil_div(rows, 8), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    const int lane = threadIdx.x % 16, r = blockIdx.x * 8 + threadIdx.x / 16;
    float s = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 16) s += val[j] * x[col[j]];
    for (int o = 8; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (lane == 15 && r < rows) y[r] = s;
}
