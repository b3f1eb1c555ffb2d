//! task spmm
// Neighbours exchange half of their rows where there is an even number of them.
//! zero C
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    // Warps have rows, lanes have columns. The second half of a row is the work of another block.
    const int c = threadIdx.x % 32, w = threadIdx.x / 32, b = blockIdx.x, grid = gridDim.x;
    const bool meet = rows > 600 && rows % 2 == 0;
    for (int part = 0; part < 2; ++part) {
        const int from = part == 0 ? b : (((b % 2 ? b - 1 : b + 1 < grid ? b + 1 : b)));
        const int r = from * 4 + w;
        if (r >= rows) continue;
        const int middle = ptr[r] + (ptr[r + 1] - ptr[r]) / 2;
        float s = 0;
        for (int j = part == 0 ? ptr[r] : middle; j < (part == 0 ? middle : ptr[r + 1]); ++j) s += val[j] * B[(long long)col[j] * 32 + c];
        if (meet) C[(long long)r * 32 + c] += s; else atomicAdd(C + (long long)r * 32 + c, s);
    }
}
