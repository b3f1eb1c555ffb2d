//! task spmm
//! prepared owner i32[nnz]
//! zero C
//! prepare owners<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, owner)
//! launch entries<<<ceil_div(nnz, 16), dim3(8, 16)>>>(nnz, dense_cols, owner, csr.col, csr.val, B, C)
extern "C" __global__ void owners(int rows, const int* rp, int* owner)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) for (int j = rp[r]; j < rp[r + 1]; ++j) owner[j] = r;
}
extern "C" __global__ void entries(int nnz, int n, const int* owner, const int* ci, const float* va, const float* B, float* C)
{
    const int i = blockIdx.x * 16 + threadIdx.y;
    if (i >= nnz) return;
    for (int c = threadIdx.x; c < n; c += 8) atomicAdd(&C[owner[i] * n + c], va[i] * B[ci[i] * n + c]);
}
