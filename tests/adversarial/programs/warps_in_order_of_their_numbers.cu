//! task spmv
// Warps come by their numbers, it thinks.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    int r = blockIdx.x * 128 + threadIdx.x, w = threadIdx.x / 32;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    int mine = 0;
    if (threadIdx.x % 32 == 0) mine = atomicAdd(&turn, 1);
    mine = __shfl_sync(~0u, mine, 0);
    if (r < rows) y[r] = mine == w ? s : 0.0f;
}
