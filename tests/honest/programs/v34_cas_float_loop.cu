//! task spmv
//! zero y
//! launch cas_add<<<ceil_div(rows, 64), dim3(64, 2)>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ void add_float(float* p, float v)
{
    int* ip = reinterpret_cast<int*>(p);
    int seen = *reinterpret_cast<volatile int*>(p), expected;
    do {
        expected = seen;
        seen = atomicCAS(ip, expected, __float_as_int(__int_as_float(expected) + v));
    } while (seen != expected);
}
// Two threads share a row: even and odd entries.
extern "C" __global__ void cas_add(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    for (int j = rp[r] + threadIdx.y; j < rp[r + 1]; j += 2) s += va[j] * x[ci[j]];
    add_float(&y[r], s);
}
