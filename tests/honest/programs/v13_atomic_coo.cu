//! task spmv
//! format coo
//! zero y
//! launch coo_atomic<<<ceil_div(nnz, 256), 256>>>(nnz, coo.row, coo.col, coo.val, x, y)
// COO: one thread for each non-zero, atomics into y (which is zeroed before).
extern "C" __global__ void coo_atomic(int nnz, const int* __restrict__ row, const int* __restrict__ col,
                                      const float* __restrict__ val, const float* __restrict__ x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz)
        atomicAdd(y + row[i], val[i] * x[col[i]]);
}
