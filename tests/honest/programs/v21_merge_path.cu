//! task spmv
//! format tiles(items=64)
//! zero y
//! launch merge_tiles<<<ceil_div(tiles.count, 64), 64>>>(tiles.count, tiles.row, tiles.nz, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void merge_tiles(int count, const int* tile_row, const int* tile_nz, const int* row_ptr,
                                       const int* col, const float* val, const float* x, float* y)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    int row = tile_row[t], nz = tile_nz[t];
    const int row_end = tile_row[t + 1], nz_end = tile_nz[t + 1];
    float running = 0.f;
    // rows that end in this tile
    for (; row < row_end; ++row) {
        for (; nz < row_ptr[row + 1]; ++nz) running += val[nz] * x[col[nz]];
        atomicAdd(&y[row], running);
        running = 0.f;
    }
    // the start of a row that ends later
    for (; nz < nz_end; ++nz) running += val[nz] * x[col[nz]];
    if (running != 0.f) atomicAdd(&y[row], running);
}
