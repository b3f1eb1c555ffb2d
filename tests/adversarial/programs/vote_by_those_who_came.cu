//! task spmv
//! launch spmv<<<ceil_div(rows, 2), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float t[64];
    int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0;
    if (row < rows) for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 32) s += val[k] * x[col[k]];
    int n = 0;
    if (lane < 20) n = __popc(__ballot_sync(~0u, s != 0));
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    s += 0 * n;
    if (lane == 0 && row < rows) y[row] = s;
}
