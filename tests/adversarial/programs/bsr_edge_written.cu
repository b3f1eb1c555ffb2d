//! task spmv
//! format bsr(block=4)
//! launch spmv<<<bsr.block_rows, 4>>>(bsr.row_ptr, bsr.col, bsr.val, x, y)
extern "C" __global__ void spmv(const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int b = blockIdx.x, i = threadIdx.x;
    float s = 0;
    for (int k = ptr[b]; k < ptr[b + 1]; ++k) for (int j = 0; j < 4; ++j) s += val[k * 16 + i * 4 + j] * x[col[k] * 4 + j];
    y[b * 4 + i] = s;
}
