//! task spmv
// Each warp has 33 words, one of them of the next.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float tile[4 * 32 + 1];
    const int w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * 4 + w;
    float s = 0;
    if (r < rows) for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    float* mine = tile + 32 * w;
    mine[lane] = s;
    if (lane == 0) mine[32] = 0;
    __syncwarp();
    if (lane == 0 && r < rows) {
        s = 0;
        for (int i = 0; i <= 32; ++i) s += i < 32 ? mine[i] : 0 * mine[i];
        y[r] = s;
    }
}
