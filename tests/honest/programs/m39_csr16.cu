//! task spmm
//! format csr16
//! launch narrow<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr16.row_ptr, csr16.base, csr16.off, csr16.val, B, C)
#include <cstdint>
extern "C" __global__ void narrow(int rows, int n, const int* rp, const int* base, const std::uint16_t* off, const float* va, const float* B, float* C)
{
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    const float* panel = B + base[r] * n;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * panel[off[j] * n + c];
        C[r * n + c] = s;
    }
}
