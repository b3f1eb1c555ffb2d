//! task spmv
//! scratch lock i32[rows] zero
//! zero y
//! launch spmv<<<dim3(ceil_div(rows, 64), 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, lock)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* lock) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 4) s += val[k] * x[col[k]];
    while (atomicCAS(lock + row, 0, 1)) { }
    __threadfence();
    float v = y[row];
    atomicExch(lock + row, 0);
    y[row] = v + s;
}
