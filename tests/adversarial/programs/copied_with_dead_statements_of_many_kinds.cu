//! task spmv
// The reference program with ten statements that never run.
//! const BLOCK = 128
//! launch spmv<<<ceil_div(rows, BLOCK / 32), BLOCK>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void spmv(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y) {
    int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
  if (rows == -7) {
    float q = 0; unsigned h = (unsigned)rows;
    h = (h ^ 0u) + (h >> 1); q = q * 0.25f + __uint_as_float(h) * x[h & 7]; h = __brev(h);
    h = (h + 2654435761u) + (h >> 2); q = q * 1.25f + __uint_as_float(h) + x[h & 7]; h = __popc(h) + h;
    h = (h * 1013904226u) + (h >> 3); q = q * 2.25f + __uint_as_float(h) - x[h & 7]; q = sqrtf(q);
    h = (h | 3668339987u) + (h >> 4); q = q * 3.25f + __uint_as_float(h) / x[h & 7]; h = __clz(h) ^ h;
    h = (h & 2027808452u) + (h >> 5); q = q * 4.25f + __uint_as_float(h) * x[h & 7]; q = fminf(q, 3.f);
    h = (h - 387276917u) + (h >> 6); q = q * 5.25f + __uint_as_float(h) + x[h & 7]; h = (h << 3) | (h >> 29);
    h = (h ^ 3041712678u) ^ (h >> 7); q = q * 6.25f + __uint_as_float(h) - x[h & 7]; q = rintf(q);
    h = (h + 1401181143u) ^ (h >> 8); q = q * 7.25f + __uint_as_float(h) / x[h & 7]; h = __brev(h);
    h = (h * 4055616904u) ^ (h >> 9); q = q * 8.25f + __uint_as_float(h) * x[h & 7]; h = __popc(h) + h;
    h = (h | 2415085369u) ^ (h >> 10); q = q * 9.25f + __uint_as_float(h) + x[h & 7]; q = sqrtf(q);
    y[0] = q;
  }
    if (row >= rows) return;
    float sum = 0;
    for (int i = row_ptr[row] + lane; i < row_ptr[row + 1]; i += 32) sum += val[i] * x[col[i]];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
    if (lane == 0) y[row] = sum;
}
