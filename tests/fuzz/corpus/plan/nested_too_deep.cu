//! task spmv
//! const A = min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,min(1,1))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))
//! launch k<<<A, 1>>>(y)
extern "C" __global__ void k() {}
