//! task   operator
//! launch greatest<<<ceil_div(x.dim(0), 32), 32>>>(x, out, x.dim(0), x.dim(1))
extern "C" __global__ void greatest(const float* x, long long* out, int rows, int columns)
{
    const int row = blockIdx.x * 32 + threadIdx.x;
    if (row >= rows)
        return;
    int at = 0;
    for (int i = 1; i < columns; ++i)
        if (x[row * columns + i] > x[row * columns + at])
            at = i;
    out[row] = at;
}
