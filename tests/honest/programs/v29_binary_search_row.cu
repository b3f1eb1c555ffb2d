//! task spmv
//! zero y
//! launch find_row<<<ceil_div(nnz, 128), 128>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
__device__ int upper_bound_row(const int* __restrict__ row_ptr, int rows, int pos)
{
    int lo = 0, hi = rows;            // row_ptr[lo] <= pos < row_ptr[hi]
    while (hi - lo > 1) {
        const int mid = (lo + hi) >> 1;
        if (row_ptr[mid] <= pos) lo = mid; else hi = mid;
    }
    return lo;
}
extern "C" __global__ void find_row(int rows, int nnz, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nnz) return;
    atomicAdd(&y[upper_bound_row(row_ptr, rows, i)], val[i] * x[col[i]]);
}
