//! task spmv
//! launch main_kernel<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__noinline__ __device__ float row_dot(const int* ci, const float* va, const float* x, int from, int to)
{
    float s = 0.0f;
    for (int j = from; j < to; ++j) s += va[j] * x[ci[j]];
    return s;
}

struct Range { int from, to; };
__noinline__ __device__ Range range_of(const int* rp, int r) { return Range{rp[r], rp[r + 1]}; }

extern "C" __global__ void main_kernel(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        Range q = range_of(rp, r);
        y[r] = row_dot(ci, va, x, q.from, q.to);
    }
}
