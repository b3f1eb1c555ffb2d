//! task spmv
//! const BLOCK = 128
//! launch spmv<<<ceil_div(rows, BLOCK / 32), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
__device__ __forceinline__ float helper0(float a) { float t = a; for (int j = 0; j < 3; ++j) t = t * t + 0.5f; return t; }
__device__ __forceinline__ float helper1(float a) { float t = a; for (int j = 0; j < 4; ++j) t = t * t + 1.5f; return t; }
__device__ __forceinline__ float helper2(float a) { float t = a; for (int j = 0; j < 5; ++j) t = t * t + 2.5f; return t; }
__device__ __forceinline__ float helper3(float a) { float t = a; for (int j = 0; j < 6; ++j) t = t * t + 3.5f; return t; }
__device__ __forceinline__ float helper4(float a) { float t = a; for (int j = 0; j < 7; ++j) t = t * t + 4.5f; return t; }
__device__ __forceinline__ float helper5(float a) { float t = a; for (int j = 0; j < 8; ++j) t = t * t + 5.5f; return t; }
__device__ __forceinline__ float helper6(float a) { float t = a; for (int j = 0; j < 9; ++j) t = t * t + 6.5f; return t; }
__device__ __forceinline__ float helper7(float a) { float t = a; for (int j = 0; j < 10; ++j) t = t * t + 7.5f; return t; }
__device__ __forceinline__ float helper8(float a) { float t = a; for (int j = 0; j < 11; ++j) t = t * t + 8.5f; return t; }
__device__ __forceinline__ float helper9(float a) { float t = a; for (int j = 0; j < 12; ++j) t = t * t + 9.5f; return t; }
__device__ __forceinline__ float helper10(float a) { float t = a; for (int j = 0; j < 13; ++j) t = t * t + 10.5f; return t; }
__device__ __forceinline__ float helper11(float a) { float t = a; for (int j = 0; j < 14; ++j) t = t * t + 11.5f; return t; }
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) sum += val[i] * x[col[i]];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0) y[row] = sum;
}
