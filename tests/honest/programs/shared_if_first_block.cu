//! task spmv
//! launch k<<<ceil_div(rows,128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    __shared__ float big;
    int r = blockIdx.x * 128 + threadIdx.x;
    float s = 0;
    if (r < rows) for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    bool share = r + 1 < rows && blockIdx.x % 2 == 0;
    if (threadIdx.x == 127 && share) big = s;
    __syncthreads();
    bool use = threadIdx.x == 127 && share;
    if (r < rows) y[r] = use ? big : s;
}
