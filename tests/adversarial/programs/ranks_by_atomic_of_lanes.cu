//! task   spmv
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// Lanes take tickets of one atomic instruction and trust that they come in the order of lanes.
extern "C" __global__ void k(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    __shared__ int count; __shared__ float p[32];
    const int row = blockIdx.x, lane = threadIdx.x;
    if (lane == 0) count = 0;
    p[lane] = 0;
    __syncwarp();
    float s = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) s += val[i] * x[col[i]];
    const int t = atomicAdd(&count, 1);
    p[t] = lane == t ? s : 3 * s;
    __syncwarp();
    if (lane == 0) { float q = 0; for (int k = 0; k < 32; ++k) q += p[k]; y[row] = q; }
}
