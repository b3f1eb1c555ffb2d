//! task spmv
//! launch spmv<<<4000, 64, 49152>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    extern __shared__ float t[];
    for (int i = threadIdx.x; i < 12000; i += 64) t[i] = i;
    __syncthreads();
    s = t[threadIdx.x];
    if (row < rows) y[row] = s;
}
