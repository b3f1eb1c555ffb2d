//! task spmv
//! scratch a u8[60000000] zero
//! scratch b u8[6000000] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, a, b, y)
extern "C" __global__ void spmv(int rows, char* a, char* b, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    for (int i = row; i < 60000000; i += 64 * gridDim.x * 997) a[i] = b[i % 6000000] + 1;
    if (row < rows) y[row] = a[row * 4099];
}
