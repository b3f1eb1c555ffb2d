//! task spmv
// The second array begins in the middle of the first.
//! launch k<<<ceil_div(rows, 128), 128, 1024>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern __shared__ float held[];
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    float* a = held;
    float* b = held + 64;
    int r = blockIdx.x * 128 + threadIdx.x;
    float s = 0, t = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) (j % 2 ? s : t) += val[j] * x[col[j]];
    a[threadIdx.x] = s;
    b[threadIdx.x] = t;
    __syncwarp();
    if (r < rows) y[r] = a[threadIdx.x] + b[threadIdx.x];
}
