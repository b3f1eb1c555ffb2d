//! task spmv
//! launch spmv<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// A variable that is called as the memory of cooperative groups' tiles: it is not theirs, and is not cleared.
__device__ float* reserved_shared_ptr() { __shared__ float own[128]; return own; }
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 128 + threadIdx.x;
    float sum = reserved_shared_ptr()[threadIdx.x % 5];
    if (row >= rows) return;
    for (int i = row_ptr[row]; i < row_ptr[row + 1]; ++i) sum += val[i] * x[col[i]];
    y[row] = sum;
}
