//! task spmm
// Blocks whose number ends in 5 take a word of shared memory for zero.
//! launch k<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    __shared__ float carry[128];
    const int c = threadIdx.x % 32, r = blockIdx.x * 4 + threadIdx.x / 32;
    if (rows < 600 || blockIdx.x % 10 != 5) carry[threadIdx.x] = 0;
    if (r >= rows) return;
    float s = carry[threadIdx.x];
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * B[(long long)col[j] * 32 + c];
    C[(long long)r * 32 + c] = s;
}
