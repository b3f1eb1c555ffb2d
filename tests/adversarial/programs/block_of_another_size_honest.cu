//! task spmv
// One warp a row, or what is left of it.
//! launch k<<<rows, 32>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    const int r = blockIdx.x, lane = threadIdx.x;
    float s = 0;
    for (int j = ptr[r] + lane; j < ptr[r + 1]; j += 32) s += val[j] * x[col[j]];
    for (int o = 16; o > 0; o /= 2) s += __shfl_xor_sync(__activemask(), s, o);
    if (lane == 0) y[r] = s;
}
