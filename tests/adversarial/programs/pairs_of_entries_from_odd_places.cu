//! task spmv
// Two values at a time, wherever the row begins.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; j += 2) {
        const float2 a = *(const float2*)(val + j);
        s += a.x * x[col[j]] + (j + 1 < ptr[r + 1] ? a.y * x[col[j + 1]] : 0);
    }
    y[r] = s;
}
