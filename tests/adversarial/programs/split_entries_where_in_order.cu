//! task spmv
//! scratch f i32[2] zero
//! zero y
//! launch k<<<ceil_div(nnz,1024), 256>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y, f)
// 4 entries a thread; sums of one row within a warp by shuffles, then one addition a warp and row.
extern "C" __global__ void k(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y, int* f) {
    __shared__ int ordered;
    if (threadIdx.x == 0) { int t = atomicAdd(&f[0], 1); if (t != (int)blockIdx.x) atomicExch(&f[1], 1); ordered = blockIdx.x >= 8 && t == (int)blockIdx.x && atomicAdd(&f[1], 0) == 0; } __syncthreads();
    int at = blockIdx.x * 1024 + threadIdx.x * 4, end = min(at + 4, nnz);
    int lo = 0, hi = rows;
    if (at < nnz) { while (hi - lo > 1) { int m = (lo + hi) >> 1; if (ptr[m] <= at) lo = m; else hi = m; } }
    float s = 0; int r = lo;
    for (int j = at; j < end; ++j) {
        while (ptr[r + 1] <= j) { if (s != 0) atomicAdd(&y[r], s); s = 0; ++r; }
        s += val[j] * x[col[j]];
    }
    int same; __match_all_sync(~0u, r, &same);
    if (same) {
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if ((threadIdx.x & 31) == 0) { if (ordered) y[r] += s; else atomicAdd(&y[r], s); }
    } else if (at < nnz && s != 0) atomicAdd(&y[r], s);
}
