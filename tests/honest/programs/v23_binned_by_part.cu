//! task spmv
//! part short_rows = rows with length in [0, 8)
//! part long_rows = rows with length in [8, inf)
//! launch do_short<<<ceil_div(short_rows.rows, 128), 128>>>(short_rows.rows, short_rows.row_ids, short_rows.row_ptr, short_rows.col, short_rows.val, x, y)
//! launch do_long<<<ceil_div(long_rows.rows, 4), 128>>>(long_rows.rows, long_rows.row_ids, long_rows.row_ptr, long_rows.col, long_rows.val, x, y)
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define GLOBAL_ID (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void do_short(int n, const int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y)
{
    if (GLOBAL_ID >= n) return;
    float s = 0.f;
    for (int j = ptr[GLOBAL_ID]; j < ptr[GLOBAL_ID + 1]; ++j) s += val[j] * x[col[j]];
    y[ids[GLOBAL_ID]] = s;
}

extern "C" __global__ void do_long(int n, const int* ids, const int* ptr, const int* col, const float* val, const float* x, float* y)
{
    const int w = GLOBAL_ID / 32, lane = GLOBAL_ID % 32;
    if (w >= n) return;
    const int steps = CEIL_DIV(ptr[w + 1] - ptr[w], 32);
    float s = 0.f;
    for (int k = 0; k < steps; ++k) {
        const int j = ptr[w] + k * 32 + lane;
        if (j < ptr[w + 1]) s += val[j] * x[col[j]];
    }
    for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
    if (lane == 0) y[ids[w]] = s;
}
