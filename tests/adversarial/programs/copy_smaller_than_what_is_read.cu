//! task spmv
// Four bytes are copied, eight are read, and the rest is taken away again.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float2 b[128];
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    const unsigned to = (unsigned)__cvta_generic_to_shared(b + threadIdx.x);
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + col[j]));
        asm volatile("cp.async.wait_all;" ::: "memory");
        const float2 two = b[threadIdx.x];
        s += val[j] * (two.y > 0 ? two.x : two.x);
        if (two.y == 12345.0f) s = 0;
    }
    y[r] = s;
}
