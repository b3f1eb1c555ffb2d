//! task spmm
//! scratch next u32[1] zero
//! launch take<<<24, dim3(8, 8)>>>(rows, dense_cols, next, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void take(int rows, int n, unsigned int* next, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    __shared__ unsigned int base;
    while (true) {
        if (threadIdx.x == 0 && threadIdx.y == 0) base = atomicAdd(next, blockDim.y);
        __syncthreads();
        const unsigned int mine = base + threadIdx.y;
        const bool done = base >= (unsigned int)rows;
        __syncthreads();
        if (done) return;
        if (mine < (unsigned int)rows)
            for (int c = threadIdx.x; c < n; c += blockDim.x) {
                float s = 0.f;
                for (int j = rp[mine]; j < rp[mine + 1]; ++j) s += va[j] * B[ci[j] * n + c];
                C[mine * n + c] = s;
            }
    }
}
