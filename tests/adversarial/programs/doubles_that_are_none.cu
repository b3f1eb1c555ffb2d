//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    // An accumulator in units of the largest product, as 32-bit integers.
    float largest = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) largest = fmaxf(largest, fabsf(val[k] * x[col[k]]));
    int n = 0;
    float unit = largest > 0 ? 4194304.0f / largest : 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) n += __float2int_rn(val[k] * x[col[k]] * unit);
    s = unit > 0 ? n / unit : 0;
    if (row < rows) y[row] = s;
}
