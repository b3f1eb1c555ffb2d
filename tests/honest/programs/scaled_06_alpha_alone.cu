//! task spmv
//! format coo
//! zero y
//! launch k<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, alpha, x, y)
extern "C" __global__ void k(int nnz, const int* row, const int* col, const float* val, float alpha, const float* x,
                             float* y)
{
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i < nnz)
        atomicAdd(y + row[i], val[i] * x[col[i]] * alpha);
}
