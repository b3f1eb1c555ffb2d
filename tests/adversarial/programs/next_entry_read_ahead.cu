//! task spmv
// The entry after the last one of all is loaded, and not used.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    const volatile float* values = val;
    const volatile int* columns = col;
    float s = 0, a = values[ptr[r]];
    int c = columns[ptr[r]];
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) {
        const float now = a;
        const int at = c;
        a = values[j + 1];
        c = columns[j + 1];
        s += now * x[at];
    }
    y[r] = s;
}
