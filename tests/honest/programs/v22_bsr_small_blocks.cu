//! task spmv
//! format b = bsr(block=2)
//! launch bsr2<<<ceil_div(b.block_rows * 2, 128), 128>>>(rows, cols, b.block_rows, b.row_ptr, b.col, b.val, x, y)
enum { BS = 2 };
extern "C" __global__ void bsr2(int rows, int cols, int block_rows, const int* rp, const int* bc, const float* bv, const float* x, float* y)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    const int br = t / BS, local = t % BS;
    if (br >= block_rows || t >= rows) return;
    float s = 0.f;
    for (int b = rp[br]; b < rp[br + 1]; ++b) {
        const float* block = bv + (size_t)b * BS * BS + local * BS;
        for (int k = 0; k < BS; ++k) {
            const int c = bc[b] * BS + k;
            if (c < cols) s += block[k] * x[c];
        }
    }
    y[t] = s;
}
