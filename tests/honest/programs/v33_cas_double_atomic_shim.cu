//! task spmv
//! scratch acc f64[rows] zero
//! launch add<<<ceil_div(nnz, 128), 128>>>(rows, nnz, csr.row_ptr, csr.col, csr.val, x, acc)
//! launch finish<<<ceil_div(rows, 128), 128>>>(rows, acc, y)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
// atomicAdd for double is built in
#else
__device__ double atomicAdd(double* address, double val)
{
    unsigned long long int* address_as_ull = (unsigned long long int*)address;
    unsigned long long int old = *address_as_ull, assumed;
    do {
        assumed = old;
        old = atomicCAS(address_as_ull, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
    } while (assumed != old);
    return __longlong_as_double(old);
}
#endif

extern "C" __global__ void add(int rows, int nnz, const int* rp, const int* ci, const float* va, const float* x, double* acc)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nnz) return;
    int lo = 0, hi = rows - 1;
    while (lo < hi) {
        int mid = lo + (hi - lo + 1) / 2;
        if (rp[mid] <= i) lo = mid; else hi = mid - 1;
    }
    atomicAdd(&acc[lo], (double)va[i] * x[ci[i]]);
}

extern "C" __global__ void finish(int rows, const double* acc, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) y[r] = (float)acc[r];
}
