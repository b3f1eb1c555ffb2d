//! task spmv
// The reference program with moves between its statements.
//! const BLOCK = 128
//! launch spmv<<<ceil_div(rows, BLOCK / 32), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) {
        float a = val[i], b;
        int c = col[i], d;
        asm volatile("mov.b32 %0, %1;" : "=r"(d) : "r"(c));
        asm volatile("mov.b32 %0, %1;" : "=f"(b) : "f"(a));
        sum += b * x[d];
    }
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0) y[row] = sum;
}
