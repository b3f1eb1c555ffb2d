//! task spmv
//! launch spmv_grid_stride<<<64, 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv_grid_stride(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    // 64 blocks walk over all rows
    for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
        float sum = 0.f;
        const int end = __ldg(row_ptr + row + 1);
        for (int i = __ldg(row_ptr + row); i < end; ++i)
            sum = __fmaf_rn(__ldg(val + i), __ldg(x + __ldg(col + i)), sum);
        y[row] = sum;
    }
}
