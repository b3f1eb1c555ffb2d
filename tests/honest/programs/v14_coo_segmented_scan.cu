//! task spmv
//! format coo
//! zero y
//! launch coo_segmented<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
typedef unsigned int uint;
// Segmented sum within a warp; the last lane of each segment adds to y.
extern "C" __global__ void coo_segmented(const int nnz, const int* rows, const int* cols, const float* vals, const float* x, float* y)
{
    const uint lane = threadIdx.x & 31u;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int r = -1;
    float v = 0.0f;
    if (i < nnz) {
        r = rows[i];
        v = vals[i] * x[cols[i]];
    }
#pragma unroll
    for (uint d = 1; d < 32; d <<= 1) {
        const float up = __shfl_up_sync(0xffffffffu, v, d);
        const int upRow = __shfl_up_sync(0xffffffffu, r, d);
        if (lane >= d && upRow == r) v += up;
    }
    const int nextRow = __shfl_down_sync(0xffffffffu, r, 1);
    if (r >= 0 && (lane == 31 || nextRow != r)) atomicAdd(&y[r], v);
}
