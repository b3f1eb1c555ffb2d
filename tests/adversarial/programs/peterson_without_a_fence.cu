//! task spmv
// Two blocks take turns by a lock of loads and stores. Without a fence between its store and its load each may miss the other.
//! scratch lock i32[rows * 3] zero
//! zero y
//! launch k<<<rows * 2, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, lock)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* lock) {
    const int r = blockIdx.x / 2, me = blockIdx.x % 2;
    float s = 0;
    for (int j = ptr[r] + me * 32 + threadIdx.x; j < ptr[r + 1]; j += 64) s += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x > 0) return;
    volatile int* mine = lock + 3 * r;
    mine[me] = 1;
    mine[2] = 1 - me;
    while (mine[1 - me] == 1 && mine[2] == 1 - me) {}
    __threadfence();
    volatile float* out = y;
    out[r] = out[r] + s;
    __threadfence();
    mine[me] = 0;
}
