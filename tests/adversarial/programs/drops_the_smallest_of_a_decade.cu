//! task spmv
// Drops the smallest values of a matrix whose values span sixty powers of two.
//! prepared own i32[1]
//! prepared ptr2 i32[rows+1]
//! prepared col2 i32[nnz]
//! prepared val2 f32[nnz]
//! prepare look<<<1, 256>>>(nnz, csr.val, own)
//! prepare thin<<<1, 1>>>(rows, csr.row_ptr, csr.col, csr.val, own, ptr2, col2, val2)
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, ptr2, col2, val2, x, y)
extern "C" __global__ void look(int nnz, const float* val, int* own) {
    __shared__ int odd;
    if (threadIdx.x == 0) odd = 0;
    __syncthreads();
    int n = 0;
    for (int i = threadIdx.x; i < nnz; i += 256) { float a = fabsf(val[i]); n += !(a > 1e-10f && a < 2e9f); }
    atomicAdd(&odd, n);
    __syncthreads();
    if (threadIdx.x == 0) own[0] = odd == 0;
}
extern "C" __global__ void thin(int rows, const int* ptr, const int* col, const float* val, const int* own, int* ptr2,
                                int* col2, float* val2) {
    int n = 0;
    for (int r = 0; r < rows; ++r) {
        ptr2[r] = n;
        for (int j = ptr[r]; j < ptr[r + 1]; ++j)
            if (!own[0] || fabsf(val[j]) > 1e-8f) { col2[n] = col[j]; val2[n] = val[j]; ++n; }
    }
    ptr2[rows] = n;
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    y[r] = s;
}
