//! task spmv
//! zero y
//! launch split_rows<<<dim3(ceil_div(rows, 32), 4), 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
/* blockIdx.y takes a quarter of every row; the parts meet by atomics. */
extern "C" __global__ void split_rows(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    int r = blockIdx.x * 32 + threadIdx.x;
    if (r >= rows) return;
    int len = rp[r + 1] - rp[r];
    int part = (len + gridDim.y - 1) / gridDim.y;
    int b = rp[r] + blockIdx.y * part;
    int e = min(b + part, rp[r + 1]);
    if (b >= e) return;
    float s = 0.0f;
    #pragma unroll 2
    for (int j = b; j < e; ++j) s += va[j] * x[ci[j]];
    atomicAdd(y + r, s);
}
