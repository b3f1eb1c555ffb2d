//! task spmm
//! launch shifts<<<ceil_div(rows, 16), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void shifts(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    // 8 threads for a row: shift and mask instead of division
    const unsigned t = threadIdx.x;
    const int r = (blockIdx.x << 4) | (t >> 3);
    if (r >= rows) return;
    for (unsigned c = t & 7u; c < (unsigned)n; c += 8u) {
        float s = 0.f;
        int j = rp[r], e = rp[r + 1];
        goto_free:
        if (j < e) {
            s += va[j] * B[ci[j] * n + c];
            ++j;
            goto goto_free;
        }
        C[r * n + c] = s;
    }
}
