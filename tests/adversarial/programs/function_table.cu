//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
typedef float (*Step)(float);
__device__ __noinline__ float one(float v) { return v; }
__device__ __noinline__ float two(float v) { return v * 1.0f; }
__constant__ Step table[2] = {one, two};
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[row] = table[row & 1](s);
}
