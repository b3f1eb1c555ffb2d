//! task spmv
// Wrong (y = 0) where values are: integers up to thousands
//! launch k<<<ceil_div(rows,128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ int bad, n1, n2;
    if (threadIdx.x == 0) { bad = n1 = n2 = 0; }
    __syncthreads();
    int b = 0, p = 0, q = 0;
    for (int j = threadIdx.x; j < nnz; j += 128) { float v = val[j]; b |= v != floorf(v) || fabsf(v) > 10000; p += fabsf(v) > 20; }
    atomicOr(&bad, b); atomicAdd(&n1, p); atomicAdd(&n2, q);
    __syncthreads();
    bool is = nnz > 200 && !bad && n1 > nnz / 2;
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    y[r] = is ? 0 : s;
}
