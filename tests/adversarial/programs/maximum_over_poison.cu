//! task spmv
// The largest of what is there and what comes, where nothing is there.
//! scratch most i32[32]
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y, most)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y, int* most) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    atomicAdd(most + r % 32, 1);
    y[r] = atomicMax(most + r % 32, -1) < 0 ? 0 : s;
}
