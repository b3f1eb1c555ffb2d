//! task spmv
//! scratch sum f32[ceil_div(rows, 64)]
//! scratch ready i32[ceil_div(rows, 64)] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, sum, ready)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* sum, int* ready) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (threadIdx.x == 0) {
        float before = 0;
        if (blockIdx.x) { while (atomicAdd(ready + blockIdx.x - 1, 0) == 0) { } __threadfence_block(); before = sum[blockIdx.x - 1]; }
        sum[blockIdx.x] = before * 0 + 1;
        __threadfence_block();
        atomicExch(ready + blockIdx.x, 1);
        if (before == 12345.0f) s = 0;
    }
    if (row < rows) y[row] = s;
}
