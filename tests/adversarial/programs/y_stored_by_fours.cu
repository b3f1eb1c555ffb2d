//! task spmv
// Four rows at once, with the rest of the last four.
//! launch k<<<ceil_div(rows, 256), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = 4 * (blockIdx.x * 64 + threadIdx.x);
    if (r >= rows) return;
    float s[4] = {0, 0, 0, 0};
    for (int i = 0; i < 4; ++i)
        if (r + i < rows) for (int j = ptr[r + i]; j < ptr[r + i + 1]; ++j) s[i] += val[j] * x[col[j]];
    *(float4*)(y + r) = make_float4(s[0], s[1], s[2], s[3]);
}
