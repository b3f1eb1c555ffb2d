//! task spmm
//! format p = panels(width=256)
//! zero C
//! launch one_panel<<<dim3(ceil_div(rows, 16), p.count), dim3(8, 16)>>>(rows, dense_cols, p.row_ptr, p.col, p.val, B, C)
extern "C" __global__ void one_panel(int rows, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    const int* mine = rp + blockIdx.y * (rows + 1);
    const int r = blockIdx.x * 16 + threadIdx.y;
    if (r >= rows || mine[r] == mine[r + 1]) return;
    for (int c = threadIdx.x; c < n; c += 8) {
        float s = 0.f;
        for (int j = mine[r]; j < mine[r + 1]; ++j) s += va[j] * B[ci[j] * n + c];
        atomicAdd(&C[r * n + c], s);
    }
}
