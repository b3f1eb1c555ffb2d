//! task spmm
//! launch flat<<<32, 256>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#include <stdint.h>
extern "C" __global__ void flat(int rows, int n, const int32_t* rp, const int32_t* ci, const float* va, const float* B, float* C)
{
    const int64_t total = (int64_t)rows * n;
    for (int64_t id = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; id < total; id += (int64_t)gridDim.x * blockDim.x) {
        const int32_t r = (int32_t)(id / n);
        const int32_t c = (int32_t)(id % n);
        float acc = 0.f;
        for (int32_t j = rp[r], e = rp[r + 1]; j < e; ++j) acc += va[j] * B[(int64_t)ci[j] * n + c];
        C[id] = acc;
    }
}
