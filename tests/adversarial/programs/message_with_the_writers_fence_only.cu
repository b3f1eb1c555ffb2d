//! task spmv
//! scratch data f32[ceil_div(rows, 64)] zero
//! scratch ready i32[ceil_div(rows, 64)] zero
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, data, ready)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* data, int* ready) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    __shared__ float one;
    if (threadIdx.x == 0) {
        float from = 1;
        int b = blockIdx.x;
        if (b) { while (!((volatile int*)ready)[b - 1]) { } from = data[b - 1]; }
        data[b] = 1; __threadfence(); ((volatile int*)ready)[b] = 1;
        one = from;
    }
    __syncthreads();
    s *= one; // 1, unless the flag was seen before the data.
    if (row < rows) y[row] = s;
}
