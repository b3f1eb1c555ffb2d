//! task spmv
//! launch spmv<<<ceil_div(rows, 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 4 + threadIdx.x / 16, lane = threadIdx.x % 16;
    float s = 0;
    if (row < rows) for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 16) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
    if (row < rows && lane == 0) y[row] = s;
}
