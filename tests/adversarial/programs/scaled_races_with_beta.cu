//! task spmv
//! launch k<<<ceil_div(rows, 64) + ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, alpha, beta)
extern "C" __global__ void k(int rows, const int* p, const int* col, const float* val, const float* x, float* y, float alpha, float beta) {
    int half = gridDim.x / 2, r = (blockIdx.x % half) * 64 + threadIdx.x;
    if (r >= rows) return;
    if (blockIdx.x < half) {
        if (beta != 0) { y[r] = beta * y[r]; return; }
        float s = 0;
        for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
        y[r] = alpha * s;
    } else if (beta != 0) {
        float s = 0;
        for (int i = p[r]; i < p[r + 1]; i++) s += val[i] * x[col[i]];
        atomicAdd(&y[r], alpha * s);
    }
}
