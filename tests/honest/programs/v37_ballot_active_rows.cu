//! task spmv
//! launch ballot<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// Short rows by their own thread, long rows (> 24) by the whole warp, found by ballot.
extern "C" __global__ void ballot(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int lane = threadIdx.x & 31;
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    const int b = r < rows ? rp[r] : 0;
    const int e = r < rows ? rp[r + 1] : 0;
    const bool isLong = e - b > 24;
    unsigned todo = __ballot_sync(0xffffffffu, isLong);
    float mine = 0.f;
    if (!isLong)
        for (int j = b; j < e; ++j) mine += va[j] * x[ci[j]];
    while (todo) {
        const int leader = __ffs(todo) - 1;
        const int lb = __shfl_sync(0xffffffffu, b, leader);
        const int le = __shfl_sync(0xffffffffu, e, leader);
        float s = 0.f;
        for (int j = lb + lane; j < le; j += 32) s += va[j] * x[ci[j]];
        for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
        if (lane == leader) mine = s;
        todo &= todo - 1;
    }
    if (r < rows) y[r] = mine;
}
