//! task spmv
//! scratch part f32[4 * rows]
//! scratch count i32[rows] zero
//! launch spmv<<<dim3(ceil_div(rows, 64), 4), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, part, count)
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, float* part, int* count) {
    int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    for (int k = ptr[row] + blockIdx.y; k < ptr[row + 1]; k += 4) s += val[k] * x[col[k]];
    part[blockIdx.y * rows + row] = s;
    __threadfence();
    int n = count[row]; count[row] = n + 1;
    if (n == 3) { __threadfence(); y[row] = part[row] + part[rows + row] + part[2 * rows + row] + part[3 * rows + row]; }
}
