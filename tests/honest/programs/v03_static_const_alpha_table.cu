//! task spmv
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
static const float ALPHA = 1.0f;           /* y = ALPHA * A * x + BETA * 0 */
static const float BETA  = 0.0f;
static const int   STRIDES[4] = { 1, 1, 1, 1 };
__constant__ float kIdentity[8] = { 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f, 1.f };
__device__ const unsigned char kOffset[4] = { 0, 0, 0, 0 };

extern "C" __global__ void k(int rows, const int *rp, const int *ci, const float *v, const float *x, float *y)
{
    int r = threadIdx.x + blockDim.x * blockIdx.x;
    if (r >= rows)
        return;
    float s = BETA;
    for (int j = rp[r]; j < rp[r + 1]; j += STRIDES[j & 3])
        s += v[j + kOffset[j & 3]] * x[ci[j]] * kIdentity[j & 7];
    y[r] = ALPHA * s;
}
