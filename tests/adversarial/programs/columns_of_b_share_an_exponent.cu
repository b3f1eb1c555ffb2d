//! task spmm
// A row of B as integers of 32 bits over its largest element: columns of other sizes lose their bits.
//! launch k<<<ceil_div(rows * dense_cols, 128), 128>>>(rows, cols, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void k(int rows, int cols, int n, const int* ptr, const int* col, const float* val, const float* B, float* C) {
    int t = blockIdx.x * 128 + threadIdx.x, r = t / n, c = t % n;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        const float* b = B + (long long)col[j] * n;
        float largest = 0;
        for (int i = 0; i < n; ++i) largest = fmaxf(largest, fabsf(b[i]));
        int exponent = 0;
        frexpf(largest, &exponent);
        const int fixed = __float2int_rn(ldexpf(ldexpf(b[c], -exponent / 2), 30 - exponent + exponent / 2));
        s += val[j] * ldexpf((float)fixed, exponent - 30);
    }
    C[(long long)r * n + c] = s;
}
