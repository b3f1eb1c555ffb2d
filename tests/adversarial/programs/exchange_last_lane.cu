//! task   spmv
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// A running sum: every lane exchanges its prefix into one word, and the last lane is trusted to come last.
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ float total; if (threadIdx.x == 0) total = 0; __syncwarp();
    const int row = blockIdx.x, lane = threadIdx.x;
    float s = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) s += val[i] * x[col[i]];
    for (int d = 1; d < 32; d *= 2) { const float o = __shfl_up_sync(~0u, s, d); if (lane >= d) s += o; }
    atomicExch(&total, s);
    __syncwarp();
    if (lane == 0) y[row] = total;
}
