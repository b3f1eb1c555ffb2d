//! task spmm
//! launch spmm_f32<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#define DEFINE_SPMM(T, NAME)                                                                         \
    extern "C" __global__ void spmm_##NAME(int rows, int n, const int* rp, const int* ci, const T* va, \
                                           const T* B, T* C)                                         \
    {                                                                                                \
        int r = blockIdx.x * blockDim.y + threadIdx.y;                                               \
        if (r >= rows) return;                                                                       \
        for (int c = threadIdx.x; c < n; c += blockDim.x) {                                          \
            T s = 0;                                                                                 \
            for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];                   \
            C[r * n + c] = s;                                                                        \
        }                                                                                            \
    }
DEFINE_SPMM(float, f32)
