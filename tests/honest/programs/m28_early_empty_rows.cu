//! task spmm
//! launch skip_empty<<<rows, 32>>>(dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void skip_empty(int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x;
    const int b = rp[r], e = rp[r + 1];
    if (b == e) {                        // nothing here: the row of C is zero
        for (int c = threadIdx.x; c < n; c += 32) C[r * n + c] = 0.0f;
        return;
    }
    const int c = threadIdx.x % 8, part = threadIdx.x / 8;   // four partial sums for each of eight columns
    for (int base = 0; base < n; base += 8) {
        float s = 0.0f;
        if (base + c < n) for (int j = b + part; j < e; j += 4) s += va[j] * B[ci[j] * n + base + c];
        s += __shfl_down_sync(0xffffffff, s, 16);
        s += __shfl_down_sync(0xffffffff, s, 8);
        if (part == 0 && base + c < n) C[r * n + base + c] = s;
    }
}
