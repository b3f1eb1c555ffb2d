//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ __noinline__ float f40(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return t[n] + t[(n * 31) & 4095]; }
__device__ __noinline__ float f39(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f40(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f38(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f39(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f37(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f38(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f36(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f37(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f35(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f36(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f34(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f35(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f33(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f34(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f32(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f33(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f31(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f32(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f30(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f31(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f29(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f30(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f28(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f29(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f27(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f28(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f26(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f27(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f25(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f26(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f24(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f25(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f23(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f24(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f22(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f23(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f21(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f22(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f20(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f21(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f19(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f20(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f18(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f19(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f17(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f18(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f16(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f17(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f15(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f16(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f14(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f15(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f13(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f14(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f12(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f13(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f11(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f12(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f10(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f11(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f9(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f10(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f8(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f9(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f7(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f8(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f6(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f7(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f5(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f6(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f4(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f5(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f3(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f4(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f2(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f3(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f1(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f2(n + 1, t[n]) + t[(n * 31) & 4095]; }
__device__ __noinline__ float f0(int n, float v) { float t[4096]; for (int i = 0; i < 4096; ++i) t[i ^ n] = v + i; return f1(n + 1, t[n]) + t[(n * 31) & 4095]; }
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row < rows) for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    if (row < rows) s = f0(row & 255, s);
    if (row < rows) y[row] = s;
}
