//! task operator
//! zero x
//! launch k<<<fc.1.weight.dim(2), 1>>>(fc.00.w, out.dim(3), out)
extern "C" __global__ void k(const float* x, int rows, float* out) {}
