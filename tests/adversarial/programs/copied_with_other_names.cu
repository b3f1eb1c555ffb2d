//! task spmv
//! const BLOCK = 128
//! launch spmv<<<ceil_div(rows, BLOCK / 32), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* offsets, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    int l = threadIdx.x % 32;
    if (row >= rows) return;
    float acc = 0;
    for (int j = offsets[row] + l; j < offsets[row + 1]; j += 32) acc += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) acc += __shfl_down_sync(0xffffffff, acc, o);
    if (l == 0) y[row] = acc;
}
