//! task spmm
//! launch lam<<<ceil_div(rows, 64), 64>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void lam(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const auto at = [n](const float* m, int i, int j) -> float { return m[i * n + j]; };
    const auto column = [=](int c) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * at(B, ci[j], c);
        return s;
    };
    for (int c = 0; c < n; ++c) C[r * n + c] = column(c);
}
