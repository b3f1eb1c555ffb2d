//! task spmv
//! zero y
//! launch spmv<<<dim3(ceil_div(rows, 64), 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 4) s += val[k] * x[col[k]];
    atomicAdd(y + row, s);
    if ((row & 1) == 0 && row + 1 < rows && row < 64 && blockIdx.y == 3) { float2 v; asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(v.x), "=f"(v.y) : "l"(y + row) : "memory"); asm volatile("st.global.v2.f32 [%2], {%0, %1};" :: "f"(v.x), "f"(v.y), "l"(y + row) : "memory"); }
}
