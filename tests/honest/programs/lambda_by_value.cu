//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
template <typename Function>
__device__ float sumOf(int begin, int end, Function term)
{
    float sum = 0.f;
    for (int j = begin; j < end; ++j) sum += term(j);
    return sum;
}
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    // In a kernel a lambda is device code by itself.
    y[row] = sumOf(row_ptr[row], row_ptr[row + 1], [=](int j) { return val[j] * x[col[j]]; });
}
