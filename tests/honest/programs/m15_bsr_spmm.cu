//! task spmm
//! format b = bsr(block=4)
//! launch bsr_spmm<<<b.block_rows, dim3(8, 4)>>>(rows, cols, dense_cols, b.row_ptr, b.col, b.val, B, C)
constexpr int BS = 4;
extern "C" __global__ void bsr_spmm(int rows, int cols, int n, const int* rp, const int* bc, const float* bv, const float* B, float* C)
{
    const int br = blockIdx.x, i = threadIdx.y, row = br * BS + i;
    for (int c = threadIdx.x; c < n; c += blockDim.x) {
        float s = 0.f;
        for (int b = rp[br]; b < rp[br + 1]; ++b)
            #pragma unroll
            for (int k = 0; k < BS; ++k) {
                const int kc = bc[b] * BS + k;
                if (kc < cols) s += bv[(b * BS + i) * BS + k] * B[kc * n + c];
            }
        if (row < rows) C[row * n + c] = s;
    }
}
