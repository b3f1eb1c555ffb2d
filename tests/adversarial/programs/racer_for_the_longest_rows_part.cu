//! task spmv
//! part many = rows with length in [0, 1200)
//! part few = rows with length in [1200, inf)
//! zero y
//! launch rows_<<<ceil_div(many.rows, 64), 64>>>(many.rows, many.row_ids, many.row_ptr, many.col, many.val, x, y)
//! launch blocks<<<dim3(few.rows, 8), 128>>>(few.row_ids, few.row_ptr, few.col, few.val, x, y)
extern "C" __global__ void rows_(int rows, const int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) y[ids[row]] = s;
}
extern "C" __global__ void blocks(const int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    // Eight blocks for each long row, which add their parts plainly.
    __shared__ float part[4];
    int r = blockIdx.x;
    float s = 0;
    for (int k = ptr[r] + blockIdx.y * 128 + threadIdx.x; k < ptr[r + 1]; k += 1024) s += val[k] * x[col[k]];
    for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) y[ids[r]] += part[0] + part[1] + part[2] + part[3];
}
