//! task spmv
//! format coo
//! zero y
//! launch aggregated<<<ceil_div(nnz, 128), 128>>>(nnz, coo.row, coo.col, coo.val, x, y)
// Warp-aggregated atomics: lanes with the same row are found by __match_any_sync.
extern "C" __global__ void aggregated(int nnz, const int* row, const int* col, const float* val, const float* x, float* y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned active = __ballot_sync(0xffffffffu, i < nnz);
    if (i >= nnz) return;
    const int r = row[i];
    const float v = val[i] * x[col[i]];
    const unsigned peers = __match_any_sync(active, r);
    const int lane = threadIdx.x & 31;
    float s = 0.f;
    // peers are neighbours, because entries are sorted by row; all of them take part in each shuffle
    for (unsigned rest = peers; rest; rest &= rest - 1)
        s += __shfl_sync(peers, v, __ffs(rest) - 1);
    if (lane == __ffs(peers) - 1) atomicAdd(y + r, s);
}
