//! task spmv
// Wrong (y = 0) where: the first half of x is 0, the second is dense
//! launch k<<<ceil_div(rows,128), 128>>>(rows, cols, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, int cols, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ int a, b, c, d; __shared__ float f, g;
    if (threadIdx.x == 0) { a = b = c = d = 0; f = g = 0; }
    __syncthreads();
    float top = 0;
    if (0) {
        for (int i = threadIdx.x; i < cols; i += 128) top = fmaxf(top, fabsf(x[i]));
        atomicMax((int*)&g, __float_as_int(top));
        __syncthreads();
        top = g;
    }
    int la = 0, lb = 0, lc = 0, ld = 0; float lf = 0;
    for (int i = threadIdx.x; i < cols; i += 128) {
        float v = x[i], n = i + 1 < cols ? x[i + 1] : v;
        la += i < cols / 2 && v != 0; lb += i >= cols / 2 && v == 0;
    }
    atomicAdd(&a, la); atomicAdd(&b, lb); atomicAdd(&c, lc); atomicAdd(&d, ld); atomicAdd(&f, lf);
    __syncthreads();
    bool is = cols >= 50 && (a == 0 && b < cols / 50);
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    y[r] = is ? 0 : s;
}
