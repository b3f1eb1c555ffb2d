//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    if (row >= rows) return;
    int k = ptr[row];
    for (; k + 4 <= ptr[row + 1]; k += 4) { float4 v = *(const float4*)(val + k); int4 c = *(const int4*)(col + k); s += v.x * x[c.x] + v.y * x[c.y] + v.z * x[c.z] + v.w * x[c.w]; }
    for (; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    y[row] = s;
}
