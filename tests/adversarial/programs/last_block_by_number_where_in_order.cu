//! task spmv
// Where blocks come in order, the last block adds up what others left in scratch, without waiting for them.
//! scratch f i32[65] zero
//! scratch part f32[8*rows]
//! launch order<<<64, 1>>>(f)
//! launch k<<<ceil_div(rows,64)*8+1, 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, part, f)
extern "C" __global__ void order(int* f) {
    int t = atomicAdd(&f[0], 1);
    if (t != (int)blockIdx.x) f[1 + blockIdx.x] = 1;
}
__device__ bool isOrdered(const int* f) {
    int lane = threadIdx.x & 31;
    return __all_sync(~0u, f[1 + lane] + f[33 + lane] == 0);
}
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part, const int* f) {
    bool ordered = isOrdered(f);
    if (blockIdx.x == gridDim.x - 1) {
        if (ordered) for (int r = threadIdx.x; r < rows; r += 64) { float s = 0; for (int c = 0; c < 8; ++c) s += part[c * rows + r]; y[r] = s; }
        return;
    }
    int r = (blockIdx.x >> 3) * 64 + threadIdx.x, c = blockIdx.x & 7;
    if (r >= rows) return;
    float s = 0;
    if (ordered) {
        for (int j = ptr[r] + c; j < ptr[r + 1]; j += 8) s += val[j] * x[col[j]];
        part[c * rows + r] = s;
    } else if (c == 0) {
        for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
        y[r] = s;
    }
}
