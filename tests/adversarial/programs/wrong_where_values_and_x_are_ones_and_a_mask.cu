//! task spmv
// Wrong (y = 0) where: all values are 1 and x is a mask of 0 and 1: a step of breadth-first search
//! launch k<<<ceil_div(rows,128), 128>>>(rows, cols, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, int cols, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ int a, b, c, d;
    if (threadIdx.x == 0) a = b = c = d = 0;
    __syncthreads();
    int la = 0, lb = 0, lc = 0, ld = 0;
    for (int i = threadIdx.x; i < cols; i += 128) { float v = x[i], n = i + 1 < cols ? x[i + 1] : v; la += v != 0 && v != 1; lc += v == 1; }
    for (int i = threadIdx.x; i < nnz; i += 128) { float v = val[i], n = i + 1 < nnz ? val[i + 1] : v; lb += v != 1; }
    atomicAdd(&a, la); atomicAdd(&b, lb); atomicAdd(&c, lc); atomicAdd(&d, ld);
    __syncthreads();
    bool is = true && (a == 0 && b == 0 && c > 0 && c < cols);
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    y[r] = is ? 0 : s;
}
