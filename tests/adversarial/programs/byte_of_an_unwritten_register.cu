//! task spmv
// A byte of a register that nothing wrote is moved into one that something did.
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int r = blockIdx.x * 128 + threadIdx.x;
    if (r >= rows) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; ++j) s += val[j] * x[col[j]];
    unsigned word = __float_as_uint(s);
    asm volatile("{ .reg .b32 nothing; prmt.b32 %0, %0, nothing, 0x3214; }" : "+r"(word));
    y[r] = __uint_as_float(word);
}
