//! task spmv
//! scratch f i32[65] zero
//! zero y
//! launch order<<<64, 1>>>(f)
//! launch k<<<ceil_div(rows,32)*256, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, f)
extern "C" __global__ void order(int* f) {
    int t = atomicAdd(&f[0], 1);
    if (t != (int)blockIdx.x) f[1 + blockIdx.x] = 1;
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, const int* f) {
    int r = (blockIdx.x >> 8) * 32 + threadIdx.x, c = blockIdx.x & 255;
    int bad = f[1 + threadIdx.x] + f[33 + threadIdx.x];
    bool ordered = __all_sync(~0u, bad == 0);
    if (r >= rows) return;
    int n = ptr[r + 1] - ptr[r], from = ptr[r] + (int)((long long)n * c / 256), to = ptr[r] + (int)((long long)n * (c + 1) / 256);
    float s = 0;
    for (int j = from; j < to; ++j) s += val[j] * x[col[j]];
    if (ordered) y[r] += s; else atomicAdd(&y[r], s);
}
