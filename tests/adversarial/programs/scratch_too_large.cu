//! task spmv
//! scratch huge f32[1000000000]
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, huge, y)
extern "C" __global__ void spmv(int rows, float* huge, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row < rows) y[row] = huge[row];
}
