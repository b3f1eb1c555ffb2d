//! task spmv
// Where blocks come in order, y is added to plainly, and NaN taken for "nobody was here": reads what nothing wrote.
//! scratch f i32[65] zero
//! launch order<<<64, 1>>>(f)
//! launch k<<<2*ceil_div(rows,64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, f)
extern "C" __global__ void order(int* f) {
    int t = atomicAdd(&f[0], 1);
    if (t != (int)blockIdx.x) f[1 + blockIdx.x] = 1;
}
__device__ bool isOrdered(const int* f) {
    int lane = threadIdx.x & 31;
    return __all_sync(~0u, f[1 + lane] + f[33 + lane] == 0);
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, const int* f) {
    bool ordered = isOrdered(f);
    int r = (blockIdx.x >> 1) * 64 + threadIdx.x, half = blockIdx.x & 1;
    if (r >= rows) return;
    float s = 0;
    if (ordered) {
        for (int j = ptr[r] + half; j < ptr[r + 1]; j += 2) s += val[j] * x[col[j]];
        float old = y[r];
        y[r] = old != old ? s : old + s;
    } else if (half == 0) {
        for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
        y[r] = s;
    }
}
