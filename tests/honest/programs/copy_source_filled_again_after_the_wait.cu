//! task spmv
//! scratch staged f32[rows]
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, staged)
// Halves of each row go through one staging word, which is filled again once the copy has been waited for.
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* staged) {
    __shared__ float parts[2][128];
    const int row = blockIdx.x * 128 + threadIdx.x;
    if (row >= rows) return;
    const int middle = (ptr[row] + ptr[row + 1]) / 2;
    for (int half = 0; half < 2; ++half) {
        float s = 0;
        for (int k = half ? middle : ptr[row]; k < (half ? ptr[row + 1] : middle); ++k) s += val[k] * x[col[k]];
        staged[row] = s;
        const unsigned to = (unsigned)__cvta_generic_to_shared(&parts[half][threadIdx.x]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(staged + row) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
    }
    y[row] = parts[0][threadIdx.x] + parts[1][threadIdx.x];
}
