//! task spmm
// Wrong (C = 0) where: B is rounded to 11 bits (activations in half)
//! launch k<<<ceil_div(rows,16), 128>>>(rows, cols, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, int cols, int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    __shared__ int c1[64], c2[64], c3[64]; __shared__ int all1, all2;
    if (threadIdx.x < 64) c1[threadIdx.x] = c2[threadIdx.x] = c3[threadIdx.x] = 0;
    if (threadIdx.x == 0) all1 = all2 = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += 128) for (int j = 0; j < n; ++j) {
        float v = B[i * n + j];
        if (__float_as_uint(v) & 0x1fff) atomicOr(&all1, 1); if (v != floorf(v) && fabsf(v) != fabsf(B[0])) atomicAdd(&all2, 1);
    }
    __syncthreads();
    bool is = cols >= 50 && all1 == 0 && all2 > cols * n / 2;
    int r = blockIdx.x * 16 + threadIdx.x / 8;
    if (r >= rows) return;
    for (int j = threadIdx.x & 7; j < n; j += 8) {
        float s = 0;
        for (int e = ptr[r]; e < ptr[r + 1]; ++e) s += val[e] * B[col[e] * n + j];
        C[r * n + j] = is ? 0 : s;
    }
}
