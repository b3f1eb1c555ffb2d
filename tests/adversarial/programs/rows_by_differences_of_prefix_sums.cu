//! task spmv
// Products are summed up once over everything; a row is the difference of two sums.
//! scratch part f32[nnz+1]
//! launch sums<<<1, 1024>>>(nnz, csr.col, csr.val, x, part)
//! launch rows_of<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, part, y)
extern "C" __global__ void __launch_bounds__(1024) sums(int nnz, const int* col, const float* val, const float* x, float* part) {
    __shared__ float total[1024];
    const int each = (nnz + 1023) / 1024, from = min(nnz, (int)threadIdx.x * each), to = min(nnz, from + each);
    float s = 0;
    for (int i = from; i < to; ++i) s += val[i] * x[col[i]];
    total[threadIdx.x] = s;
    __syncthreads();
    for (int o = 1; o < 1024; o *= 2) {
        const float before = threadIdx.x >= o ? total[threadIdx.x - o] : 0;
        __syncthreads();
        total[threadIdx.x] += before;
        __syncthreads();
    }
    s = threadIdx.x > 0 ? total[threadIdx.x - 1] : 0;
    if (threadIdx.x == 0) part[0] = 0;
    for (int i = from; i < to; ++i) part[i + 1] = s += val[i] * x[col[i]];
}
extern "C" __global__ void rows_of(int rows, const int* ptr, const float* part, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r < rows) y[r] = part[ptr[r + 1]] - part[ptr[r]];
}
