//! task spmv
//! scratch counter i32[1] zero
//! launch queue<<<16, 128>>>(rows, counter, csr.row_ptr, csr.col, csr.val, x, y)
// Warps take the next row from a counter until none is left.
extern "C" __global__ void queue(int rows, int* counter, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int lane = threadIdx.x & 31;
    for (;;) {
        int row = 0;
        if (lane == 0) row = atomicAdd(counter, 1);
        row = __shfl_sync(0xffffffffu, row, 0);
        if (row >= rows) break;
        float s = 0.f;
        for (int j = rp[row] + lane; j < rp[row + 1]; j += 32) s += va[j] * x[ci[j]];
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
        if (lane == 0) y[row] = s;
    }
}
