//! task spmv
// Two blocks share a row. The first to come stores, the second adds to what it finds, whether that is there yet or not.
//! scratch came i32[rows] zero
//! launch k<<<rows * 2, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, came)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* came) {
    const int r = blockIdx.x / 2, half = blockIdx.x % 2;
    float s = 0;
    for (int j = ptr[r] + half * 32 + threadIdx.x; j < ptr[r + 1]; j += 64) s += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x > 0) return;
    volatile float* out = y;
    if (atomicAdd(came + r, 1) == 0) out[r] = s;
    else { __threadfence(); out[r] = out[r] + s; }
}
