//! task spmv
//! format csr16
//! launch compressed<<<ceil_div(rows, 128), 128>>>(rows, csr16.row_ptr, csr16.base, csr16.off, csr16.val, x, y)
extern "C" __global__ void compressed(int rows, const int* row_ptr, const int* base, const unsigned short* off, const float* val, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const float* xr = x + base[r];
    float s = 0;
    for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j)
        s += val[j] * xr[off[j]];
    y[r] = s;
}
