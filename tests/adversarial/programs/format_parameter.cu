//! task spmv
//! format sell(slice=16, sigma=32)
//! launch spmv<<<ceil_div(rows, 32), 32>>>(rows, sell.slice_ptr, sell.col, sell.val, sell.row_ids, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const int* ids, const float* x, float* y) {
    int row = ids[blockIdx.x * 32 + threadIdx.x];
    float s = 0;
    for (int k = ptr[blockIdx.x] + threadIdx.x; k < ptr[blockIdx.x + 1]; k += 32) s += val[k] * x[col[k]];
    if (row >= 0) y[row] = s;
}
