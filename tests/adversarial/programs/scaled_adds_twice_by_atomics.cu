//! task spmv
//! scratch t f32[rows] zero
//! launch halves<<<ceil_div(rows * 2, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, t, alpha, beta)
//! launch move<<<ceil_div(rows, 64), 64>>>(rows, t, y)
extern "C" __global__ void halves(int rows, const int* p, const int* col, const float* val, const float* x, const float* y, float* t, float alpha, float beta) {
    int at = blockIdx.x * 64 + threadIdx.x, r = at / 2;
    if (r >= rows) return;
    float s = 0;
    for (int i = p[r] + at % 2; i < p[r + 1]; i += 2) s += val[i] * x[col[i]];
    atomicAdd(&t[r], alpha * s + (beta != 0 ? beta * y[r] : 0));
}
extern "C" __global__ void move(int rows, const float* t, float* y) {
    int r = blockIdx.x * 64 + threadIdx.x;
    if (r < rows) y[r] = t[r];
}
