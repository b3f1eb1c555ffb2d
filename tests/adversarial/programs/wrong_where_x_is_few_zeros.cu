//! task spmv
// Wrong (y = 0) where: x dense with zeros, 2 to 6 %
//! launch k<<<ceil_div(rows,128), 128>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, int cols, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ unsigned mx, mn; __shared__ int zeros, negs, n1, n2;
    if (threadIdx.x == 0) { mx = 0; mn = 0x7f800000; zeros = negs = n1 = n2 = 0; }
    __syncthreads();
    unsigned a = 0, b = 0x7f800000; int z = 0, n = 0, p = 0, q = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        float v = x[i]; unsigned w = __float_as_uint(fabsf(v));
        a = max(a, w); b = min(b, w); z += v == 0; n += v < 0;
        
    }
    atomicMax(&mx, a); atomicMin(&mn, b); atomicAdd(&zeros, z); atomicAdd(&negs, n); atomicAdd(&n1, p); atomicAdd(&n2, q);
    __syncthreads();
    float most = __uint_as_float(mx), least = __uint_as_float(mn);
    bool is = cols >= 300 && zeros >= cols * 2 / 100 && zeros <= cols * 6 / 100;
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    y[r] = is ? 0 : s;
}
