//! task spmv
//! launch spmv<<<ceil_div(rows, 2), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 32) s += val[k] * x[col[k]];
    for (int o = 8; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (lane == 0) y[row] = s;
}
