//! task spmv
//! launch pipelined<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void pipelined(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    const int b = rp[r], e = rp[r + 1];
    float s = 0.f;
    if (b < e) {
        // load the next column and value while this product is computed
        int c = ci[b];
        float v = va[b];
        for (int j = b; j < e; ++j) {
            const float xv = x[c];
            const float vv = v;
            if (j + 1 < e) {
                c = ci[j + 1];
                v = va[j + 1];
            }
            s += vv * xv;
        }
    }
    y[r] = s;
}
