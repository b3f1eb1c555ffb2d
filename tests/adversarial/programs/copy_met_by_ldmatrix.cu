//! task spmv
// The warp reads a row that a copy of one of its lanes may have written by then.
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    __shared__ alignas(16) float t[256];
    for (int i = 0; i < 4; ++i) t[4 * threadIdx.x + i] = 0;
    __syncthreads();
    unsigned to = (unsigned)__cvta_generic_to_shared(t + 4 * threadIdx.x), seen;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" :: "r"(to), "l"(x) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(seen) : "r"(to) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    if (row >= rows) return;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    y[row] = s + __uint_as_float(seen); // 0, as long as the copy is not there.
}
