//! task spmv
// A segmented sum over lanes that takes from lanes of the warp before.
//! launch k<<<ceil_div(max(nnz, rows), 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < rows) y[i] = 0;
    __threadfence();
    int lo = 0, hi = rows;
    while (lo + 1 < hi) { int m = (lo + hi) / 2; if (ptr[m] <= i) lo = m; else hi = m; }
    float s = i < ptr[rows] ? val[i] * x[col[i]] : 0;
    for (int o = 1; o < 32; o *= 2) {
        const float t = __shfl_up_sync(~0u, s, o);
        const int row = __shfl_up_sync(~0u, lo, o);
        if (row == lo) s += t;
    }
    const int next = __shfl_down_sync(~0u, lo, 1);
    if (i < ptr[rows] && (next != lo || threadIdx.x % 32 == 31)) atomicAdd(y + lo, s);
}
