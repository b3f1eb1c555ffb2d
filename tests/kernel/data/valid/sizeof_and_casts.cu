//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { unsigned char b = (unsigned char)(x[0]); size_t z = sizeof(float) * sizeof b; long long q = (long long)n * (int)(z); float w = float(q) + static_cast<float>(b) + int(2.5f); y[0] = w; }
