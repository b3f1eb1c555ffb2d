//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ const float table[4] = {1, 2, 3, 4};
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    unsigned long long p = (unsigned long long)table;
    unsigned lo = (unsigned)p, hi = (unsigned)(p >> 32);
    *(float*)(((unsigned long long)hi << 32 | lo) + 4 * (row & 3)) = s;
    if (row < rows) y[row] = s;
}
