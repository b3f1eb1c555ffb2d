//! task spmv
// Reads by its number and writes by its ticket, as if both were the same, where beta is not 0.
//! scratch ticket i32[1] zero
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, ticket, alpha, beta)
extern "C" __global__ void k(int rows, const int* p, const int* col, const float* val, const float* x, float* y, int* ticket, float alpha, float beta) {
    __shared__ int block;
    if (threadIdx.x == 0) block = beta != 0 ? atomicAdd(ticket, 1) : blockIdx.x;
    __syncthreads();
    int from = blockIdx.x * 64 + threadIdx.x, to = block * 64 + threadIdx.x;
    float s = 0;
    if (from < rows) for (int i = p[from]; i < p[from + 1]; ++i) s += val[i] * x[col[i]];
    if (to < rows) y[to] = alpha * s + (beta != 0 ? beta * y[to] : 0);
}
