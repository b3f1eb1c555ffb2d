//! task spmm
//! launch dp<<<ceil_div(rows * dense_cols, 256), 256>>>(rows * dense_cols, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
extern "C" __global__ void dp(int total, int n, const int* rp, const int* ci, const float* va, const float* B, float* C)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= total) return;
    int row = id / n, c = id % n;
    double s = 0.0;
    for (int j = rp[row]; j < rp[row + 1]; j++) s += (double)va[j] * (double)B[ci[j] * n + c];
    C[id] = (float)s;
}
