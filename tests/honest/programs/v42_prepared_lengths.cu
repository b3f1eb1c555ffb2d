//! task spmv
//! prepared len i32[rows]
//! prepare count_rows<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, len)
//! launch use_lengths<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, len, csr.col, csr.val, x, y)
extern "C" __global__ void count_rows(int rows, const int* row_ptr, int* len)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) len[i] = row_ptr[i + 1] - row_ptr[i];
}
extern "C" __global__ void use_lengths(int rows, const int* row_ptr, const int* len, const int* col, const float* val, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) {
        const int n = len[i], base = row_ptr[i];
        float t = 0.0f;
        for (int k = 0; k < n; k++) t += val[base + k] * x[col[base + k]];
        y[i] = t;
    }
}
