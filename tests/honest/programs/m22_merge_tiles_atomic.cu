//! task spmm
//! format t = blocks(nnz=64)
//! launch chunks<<<t.count, dim3(8, 8)>>>(dense_cols, t.row, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void chunks(int n, const int* first, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    for (int r = first[blockIdx.x] + threadIdx.y; r < first[blockIdx.x + 1]; r += blockDim.y)
        for (int c = threadIdx.x; c < n; c += blockDim.x) {
            float s = 0.f;
            for (int j = rp[r]; j != rp[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];
            C[r * n + c] = s;
        }
}
