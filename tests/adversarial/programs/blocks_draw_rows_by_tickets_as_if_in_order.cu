//! task spmv
// Reads by its number and writes by its ticket, as if both were the same.
//! scratch ticket i32[1] zero
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, ticket)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y,
                             int* ticket) {
    __shared__ int block;
    if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
    __syncthreads();
    int from = blockIdx.x * 64 + threadIdx.x, to = block * 64 + threadIdx.x;
    float s = 0;
    if (from < rows) for (int j = ptr[from]; j < ptr[from + 1]; ++j) s += val[j] * x[col[j]];
    if (to < rows) y[to] = s;
}
