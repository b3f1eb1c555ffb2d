//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) { int* z = (int*)y; int old = atomicCAS(z, 0, 1); unsigned b = __ballot_sync(0xffffffffu, old == 0); if (b & (1u << (threadIdx.x & 31u))) atomicAdd(&y[0], 1.0f); __threadfence(); __syncwarp(); }
