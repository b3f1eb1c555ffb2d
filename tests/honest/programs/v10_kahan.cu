//! task spmv
//! launch kahan<<<ceil_div(rows, 96), 96>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// Kahan summation
extern "C" __global__ void kahan(int rows, const int* ptr, const int* idx, const float* val, const float* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows) { return; }
    float sum = 0.0f, c = 0.0f;
    int k = ptr[i];
    while (k < ptr[i + 1]) {
        float prod = val[k] * x[idx[k]];
        float yk   = prod - c;
        float t    = sum + yk;
        c   = (t - sum) - yk;
        sum = t;
        ++k;
    }
    y[i] = sum;
}
