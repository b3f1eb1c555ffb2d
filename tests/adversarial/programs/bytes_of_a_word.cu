//! task spmv
//! zero y
//! launch spmv<<<dim3(ceil_div(rows, 64), 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 4) s += val[k] * x[col[k]];
    volatile unsigned char* b = (volatile unsigned char*)(y + row);
    atomicAdd(y + row, s);
    if (row % 64 == 5) b[blockIdx.y] = b[blockIdx.y];
}
