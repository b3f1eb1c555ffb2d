//! task spmv
// Lanes are ordered by __syncwarp, but not behind a copy that nobody has waited for.
//! scratch t f32[rows*4]
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, t)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* t) {
    __shared__ float b[128 * 4];
    int r = blockIdx.x * 128 + threadIdx.x, n = min(128, rows - (int)blockIdx.x * 128);
    if (threadIdx.x >= n) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    t[r * 4] = s;
    unsigned d = (unsigned)__cvta_generic_to_shared(&b[threadIdx.x * 4]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(d), "l"(t + r * 4) : "memory");
    __syncwarp(__activemask());
    if ((threadIdx.x ^ 1) < n) t[(r ^ 1) * 4] = 1e9f;
    asm volatile("cp.async.wait_all;" ::: "memory");
    y[r] = b[threadIdx.x * 4];
}
