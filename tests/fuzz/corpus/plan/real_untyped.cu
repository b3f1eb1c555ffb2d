//! task spmv
//! launch scale<<<1, 128>>>(rows, 0.5, csr.val, x, y)
extern "C" __global__ void scale() {}
