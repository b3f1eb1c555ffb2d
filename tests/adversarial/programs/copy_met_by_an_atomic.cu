//! task spmv
// An atomic reads what a copy of the same thread may have written by then.
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    __shared__ float t[64];
    t[threadIdx.x] = 0;
    unsigned to = (unsigned)__cvta_generic_to_shared(t + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" :: "r"(to), "l"(x) : "memory");
    float seen = atomicAdd(t + threadIdx.x, 0.0f); // 0, as long as the copy is not there.
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (row >= rows) return;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    y[row] = s + seen;
}
