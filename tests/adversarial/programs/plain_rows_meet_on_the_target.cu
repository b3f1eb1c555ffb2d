//! task spmv
//! zero y
//! launch spmv<<<ceil_div(nnz, 16384), 128>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int nnz, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int from = blockIdx.x * 16384, to = min(from + 16384, nnz), low = 0, high = rows;
    while (low + 1 < high) { int m = (low + high) / 2; if (ptr[m] <= from) low = m; else high = m; }
    for (int r = low + threadIdx.x / 32; r < rows && ptr[r] < to; r += 4) {
        float s = 0;
        for (int k = max(from, ptr[r]) + threadIdx.x % 32; k < min(to, ptr[r + 1]); k += 32) s += val[k] * x[col[k]];
        for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
        if (threadIdx.x % 32 == 0) y[r] += s;
    }
}
