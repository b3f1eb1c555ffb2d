//! task spmm
//! format ell
//! launch ell_spmm<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, ell.width, ell.col, ell.val, B, C)
extern "C" __global__ void ell_spmm(int rows, int n, int width, const int* col, const float* val, const float* B, float* C)
{
    const int r = blockIdx.x * blockDim.y + threadIdx.y;
    if (r < rows) {
        for (int c = threadIdx.x; c < n; c += blockDim.x) {
            float s = 0.f;
            for (int k = 0; k < width; ++k) s += val[k * rows + r] * B[col[k * rows + r] * n + c];
            C[r * n + c] = s;
        }
    }
}
