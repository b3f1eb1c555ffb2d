//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)

extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * 64 + threadIdx.x;
    float s = 0;
    for (int i = 0; i < 2000; ++i) switch ((row * 7 + i) & 31) { case 0: s = s * 1.5f + i; break; case 1: s = s * 2.5f + i; break; case 2: s = s * 3.5f + i; break; case 3: s = s * 4.5f + i; break; case 4: s = s * 5.5f + i; break; case 5: s = s * 6.5f + i; break; case 6: s = s * 7.5f + i; break; case 7: s = s * 8.5f + i; break; case 8: s = s * 9.5f + i; break; case 9: s = s * 10.5f + i; break; case 10: s = s * 11.5f + i; break; case 11: s = s * 12.5f + i; break; case 12: s = s * 13.5f + i; break; case 13: s = s * 14.5f + i; break; case 14: s = s * 15.5f + i; break; case 15: s = s * 16.5f + i; break; case 16: s = s * 17.5f + i; break; case 17: s = s * 18.5f + i; break; case 18: s = s * 19.5f + i; break; case 19: s = s * 20.5f + i; break; case 20: s = s * 21.5f + i; break; case 21: s = s * 22.5f + i; break; case 22: s = s * 23.5f + i; break; case 23: s = s * 24.5f + i; break; case 24: s = s * 25.5f + i; break; case 25: s = s * 26.5f + i; break; case 26: s = s * 27.5f + i; break; case 27: s = s * 28.5f + i; break; case 28: s = s * 29.5f + i; break; case 29: s = s * 30.5f + i; break; case 30: s = s * 31.5f + i; break; case 31: s = s * 32.5f + i; break; }
    s = 1;
    if (row < rows) y[row] = s;
}
