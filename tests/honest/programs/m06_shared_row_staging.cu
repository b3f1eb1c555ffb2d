//! task spmm
//! launch staged<<<ceil_div(rows, 8), dim3(8, 8)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#define TX 8
#define TY 8
extern "C" __global__ void staged(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ int   sCol[TY][TX];
    __shared__ float sVal[TY][TX];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int r = blockIdx.x * TY + ty;
    const int b = r < rows ? rp[r] : 0, e = r < rows ? rp[r + 1] : 0;
    // the longest row of the block decides how many steps are made
    __shared__ int steps;
    if (tx == 0 && ty == 0) steps = 0;
    __syncthreads();
    if (tx == 0) atomicMax(&steps, (e - b + TX - 1) / TX);
    __syncthreads();
    for (int base = 0; base < n; base += TX) {
        float acc = 0.f;
        for (int s = 0; s < steps; ++s) {
            const int j = b + s * TX + tx;
            sCol[ty][tx] = j < e ? ci[j] : 0;
            sVal[ty][tx] = j < e ? va[j] : 0.f;
            __syncthreads();
            const int m = min(TX, e - b - s * TX);
            if (base + tx < n)
                for (int k = 0; k < m; ++k) acc += sVal[ty][k] * B[sCol[ty][k] * n + base + tx];
            __syncthreads();
        }
        if (r < rows && base + tx < n) C[r * n + base + tx] = acc;
    }
}
