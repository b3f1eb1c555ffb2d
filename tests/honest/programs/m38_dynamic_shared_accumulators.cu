//! task spmm
//! launch shared_acc<<<ceil_div(rows, 8), dim3(8, 8), 8 * dense_cols * 4>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern __shared__ float acc[];
extern "C" __global__ void shared_acc(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    float* mine = acc + threadIdx.y * n;
    const int r = blockIdx.x * 8 + threadIdx.y;
    for (int c = threadIdx.x; c < n; c += 8) mine[c] = 0.f;
    if (r < rows)
        for (int j = rp[r]; j < rp[r + 1]; ++j)
            for (int c = threadIdx.x; c < n; c += 8) mine[c] += va[j] * B[ci[j] * n + c];
    __syncthreads();
    if (r < rows)
        for (int c = threadIdx.x; c < n; c += 8) C[r * n + c] = mine[c];
}
