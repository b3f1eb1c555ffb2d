//! task spmv
//! zero y
//! launch spmv<<<dim3(ceil_div(rows, 64), 2), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 2) s += val[k] * x[col[k]];
    if (blockIdx.x < 8) atomicAdd(y + row, s); else y[row] += s;
}
