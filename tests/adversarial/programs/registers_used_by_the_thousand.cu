//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    float v[2000];
#pragma unroll
    for (int i = 0; i < 2000; ++i) v[i] = x[i * 0] * (i + row);
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int i = 0; i < 2000; ++i) v[i] = v[i] * v[(i * 7 + 3) % 2000] + 1;
#pragma unroll
    for (int i = 0; i < 2000; ++i) s += v[i];
    if (row < rows) y[row] = s;
}
