//! task spmm
//! launch arch<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
#define SYNC_WARP() __syncwarp()
#else
#define SYNC_WARP()
#endif
#ifdef __cplusplus
extern "C" {
#endif
__global__ void arch(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    int r = blockIdx.x * 16 + threadIdx.y;
    for (int c = threadIdx.x; c < n && r < rows; c += 8) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];
        C[r * n + c] = s;
    }
    SYNC_WARP();
}
#ifdef __cplusplus
}
#endif
