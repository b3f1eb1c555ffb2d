//! task spmv
//! format sell(slice=32, sigma=64)
//! launch spmv<<<sell.slices, 32>>>(rows, sell.slice_ptr, sell.col, sell.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 32 + threadIdx.x;
    float s = 0;
    for (int k = ptr[blockIdx.x] + threadIdx.x; k < ptr[blockIdx.x + 1]; k += 32) s += val[k] * x[col[k]];
    if (row < rows) y[row] = s;
}
