//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ __noinline__ void leaves(float v) { volatile float t[4]; t[0] = v; t[1] = v; t[2] = v; t[3] = v; }
__device__ __noinline__ float finds() { volatile float t[4]; return t[2]; }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    leaves(s);
    s = finds();
    if (row < rows) y[row] = s;
}
