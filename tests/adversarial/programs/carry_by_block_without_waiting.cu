//! task spmv
// Looks back at the block before it, which need not have run.
//! scratch carry f32[ceil_div(rows, 64) + 1] zero
//! launch k<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, carry)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y,
                             float* carry) {
    int r = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    // What the block before has left counts how many there were.
    if (threadIdx.x == 0) {
        float before = blockIdx.x > 0 ? atomicAdd(carry + blockIdx.x - 1, 0.0f) : 0.0f;
        atomicExch(carry + blockIdx.x, before + 1.0f);
        if (before != (float)blockIdx.x) s = 0;
    }
    if (r < rows) y[r] = s;
}
