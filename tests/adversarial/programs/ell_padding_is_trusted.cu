//! task spmv
//! format ell
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, max_length, ell.col, ell.val, x, y)
extern "C" __global__ void spmv(int rows, int width, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) { for (int k = 0; k < width; ++k) s += val[row * width + k] * x[col[row * width + k]]; y[row] = s; }
}
