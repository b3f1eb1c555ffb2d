//! task spmm
//! scratch packed i64[nnz]
//! launch pack<<<ceil_div(nnz, 128), 128>>>(nnz, csr.col, csr.val, packed)
//! launch unpack<<<ceil_div(rows, 16), dim3(8, 16)>>>(rows, dense_cols, csr.row_ptr, packed, B, C)
// column and value side by side in 64 bits
extern "C" __global__ void pack(int nnz, const int* ci, const float* va, unsigned long long* packed)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nnz) packed[i] = ((unsigned long long)__float_as_uint(va[i]) << 32) | (unsigned)ci[i];
}
extern "C" __global__ void unpack(int rows, int n, const int* rp, const unsigned long long* packed, const float* B, float* C)
{
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows) return;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int j = rp[r]; j < rp[r + 1]; ++j) {
            const unsigned long long p = packed[j];
            s += __uint_as_float((unsigned)(p >> 32)) * B[(unsigned)p * n + c];
        }
        C[r * n + c] = s;
    }
}
