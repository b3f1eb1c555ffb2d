//! task spmv
// A pair of which one half is written, and both are used.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float2 pair[128];
    int r = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    pair[threadIdx.x].x = s;
    __syncwarp();
    const float2 both = pair[threadIdx.x];
    if (r < rows) y[r] = both.x + fminf(fabsf(both.y), 0.0f);
}
