//! task spmv
//! format ell
//! launch spmv_ell<<<ceil_div(rows, 128), 128>>>(rows, ell.width, ell.col, ell.val, x, y)
extern "C" __global__ void spmv_ell(int n, int width, const int* cols, const float* vals, const float* x, float* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < n) {
        float sum = 0;
        for (int k = 0; k < width; k++) {
            // column-major storage: neighbouring threads read neighbouring entries
            int idx = k * n + r;
            sum += vals[idx] * x[cols[idx]];
        }
        y[r] = sum;
    }
}
