//! task spmm
//! format sell(slice=8, sigma=64)
//! launch sell_spmm<<<sell.slices, dim3(8, 8)>>>(dense_cols, sell.slice_ptr, sell.col, sell.val, sell.row_ids, B, C)
enum { SLICE = 8 };
extern "C" __global__ void sell_spmm(int n, const int* sp, const int* col, const float* val, const int* ids, const float* B, float* C)
{
    const int s = blockIdx.x, lane = threadIdx.y, row = ids[s * SLICE + lane];
    for (int c = threadIdx.x; c < n; c += 8) {
        float acc = 0.f;
        for (int p = sp[s] + lane; p < sp[s + 1]; p += SLICE) acc = __fmaf_rn(val[p], B[col[p] * n + c], acc);
        if (row >= 0) C[row * n + c] = acc;
    }
}
