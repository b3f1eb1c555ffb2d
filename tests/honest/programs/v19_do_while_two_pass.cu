//! task spmv
//! scratch products f32[nnz]
//! launch multiply<<<ceil_div(nnz, 256), 256>>>(nnz, csr.col, csr.val, x, products)
//! launch gather<<<ceil_div(rows, 256), 256>>>(rows, csr.row_ptr, products, y)
// Kernel 1: products[i] = val[i] * x[col[i]]
extern "C" __global__ void multiply(int nnz, const int* col, const float* val, const float* x, float* products)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) products[i] = val[i] * x[col[i]];
}
// Kernel 2: add up each row
extern "C" __global__ void gather(int rows, const int* row_ptr, const float* products, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float s = 0.f;
    int j = row_ptr[r];
    if (j < row_ptr[r + 1]) {
        do {
            s += products[j];
        } while (++j < row_ptr[r + 1]);
    }
    y[r] = s;
}
