//! task spmv
//! format order
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, order.row_ids, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i >= rows) return;
    int row = ids[i] & 0xffffff;
    float s = 0;
    for (int k = ptr[row]; k < ptr[row + 1]; ++k) s += val[k] * x[col[k]];
    y[row] = s;
    ids[i] += 1 << 24; // The call's number, where nobody looks.
}
