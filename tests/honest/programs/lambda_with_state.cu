//! task spmv
//! launch spmv<<<ceil_div(rows, 8), 256>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                const float* __restrict__ val, const float* __restrict__ x, float* __restrict__ y)
{
    const int lane = threadIdx.x & 31, row = blockIdx.x * 8 + threadIdx.x / 32;
    if (row >= rows) return;
    const int begin = row_ptr[row], end = row_ptr[row + 1], length = end - begin;
    float sum = 0.f;
    auto add = [&sum](float value) { sum += value; };
    auto next = [j = begin + lane]() mutable { const int at = j; j += 32; return at; };
    for (int j = next(); j < end; j = next()) add(val[j] * x[col[j]]);
    auto folded = [lane](float s) { for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o); return s; };
    sum = folded(sum);
    if (lane == 0) y[row] = sum;
}
