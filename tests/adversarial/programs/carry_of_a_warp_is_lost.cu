//! task spmv
//! format coo
//! zero y
//! launch spmv<<<ceil_div(nnz, 64), 64>>>(nnz, coo.row, coo.col, coo.val, x, y)
extern "C" __global__ void spmv(int nnz, const int* row, const int* col, const float* val, const float* x, float* y) {
    int k = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
    int r = k < nnz ? row[k] : -1;
    float s = k < nnz ? val[k] * x[col[k]] : 0;
    for (int o = 1; o < 32; o *= 2) { float t = __shfl_up_sync(~0u, s, o); int q = __shfl_up_sync(~0u, r, o); if (lane >= o && q == r) s += t; }
    int next = __shfl_down_sync(~0u, r, 1);
    if (r >= 0 && (lane == 31 || next != r)) y[r] += s; // A row that goes on in the next warp.
}
