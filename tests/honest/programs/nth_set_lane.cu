//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    // The first active lane of those that have an entry writes.
    float sum = 0.f;
    for (int j = begin + lane; j < end; j += 32) sum += val[j] * x[col[j]];
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
    const unsigned some = __ballot_sync(0xffffffffu, begin + lane < end || lane == 31);
    if (lane == (int)__fns(some, 0, 1)) y[row] = sum;
}
