//! task spmv
//! zero y
//! launch warp_tiles<<<ceil_div(nnz, 1024), 256>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, y)
namespace detail {
template <typename T>
__device__ T lower(const T* a, int n, T key) {
    int l = 0, h = n;
    while (l < h) { int m = (l + h) / 2; if (a[m] <= key) l = m + 1; else h = m; }
    return l - 1;
}
} // namespace detail
// Every thread takes four consecutive entries.
extern "C" __global__ void warp_tiles(int rows, int nnz, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (start >= nnz) return;
    int row = detail::lower(rp, rows + 1, start);
    float s = 0.f;
    for (int j = start; j < min(start + 4, nnz); ++j) {
        while (j >= rp[row + 1]) {
            atomicAdd(&y[row], s);
            s = 0.f;
            ++row;
        }
        s += va[j] * x[ci[j]];
    }
    atomicAdd(&y[row], s);
}
