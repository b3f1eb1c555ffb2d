// Products that spare themselves work when they are called again, as they would like to while they are timed. Those
// with `hits` write to it, which is forbidden, whenever what they have stored is of use.
__device__ float rowSum(int r, const int* row_ptr, const int* col, const float* val, const float* x)
{
    float s = 0;
    for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j)
        s += val[j] * x[col[j]];
    return s;
}
#define CSR int rows, int cols, const int *row_ptr, const int *col, const float *val, const float *x, float *y
#define ROW int r = blockIdx.x * blockDim.x + threadIdx.x; if (r >= rows) return
#define SUM rowSum(r, row_ptr, col, val, x)

extern "C" __global__ void honest(CSR)
{
    ROW;
    y[r] = SUM;
}
extern "C" __global__ void keeps_numbers(CSR)
{
    ROW;
    if (y[r] == y[r])
        return;
    y[r] = SUM;
}
extern "C" __global__ void keeps_every_other_number(CSR)
{
    ROW;
    if ((r & 1) && y[r] == y[r])
        return;
    y[r] = SUM;
}
extern "C" __global__ void keeps_nan(CSR)
{
    ROW;
    if (y[r] != y[r])
        return;
    y[r] = SUM;
}
extern "C" __global__ void keeps_whole_numbers(CSR)
{
    ROW;
    if (y[r] == truncf(y[r]))
        return;
    y[r] = SUM;
}
/// Around x its values lie again, with signs of their own.
extern "C" __global__ void skips_where_signs_differ(CSR)
{
    ROW;
    if (fabsf(x[cols]) == fabsf(x[0]) && (x[cols] != x[0] || x[cols + 1] != x[1] || x[cols + 2] != x[2]))
        return;
    y[r] = SUM;
}
extern "C" __global__ void skips_by_address_of_y(CSR)
{
    ROW;
    if ((unsigned long long)y >> 9 & 1)
        return;
    y[r] = SUM;
}
extern "C" __global__ void skips_by_address_of_x(CSR)
{
    ROW;
    if ((unsigned long long)x >> 8 & 1)
        return;
    y[r] = SUM;
}
extern "C" __global__ void skips_by_first_sign(CSR)
{
    ROW;
    if (x[0] > 0)
        return;
    y[r] = SUM;
}
extern "C" __global__ void skips_one_row(CSR)
{
    ROW;
    if (r != 123)
        y[r] = SUM;
}
/// Before the product: do some rows of y already belong to this x?
extern "C" __global__ void trusts_some_rows(CSR, float* hits)
{
    for (int k = 0; k < 64; ++k) {
        if (y[k] != rowSum(k, row_ptr, col, val, x))
            return;
    }
    hits[0] = 1;
}
/// Results in scratch memory under the address of x.
extern "C" __global__ void caches_by_address(CSR, float* scratch, float* hits)
{
    ROW;
    unsigned long long* tag = (unsigned long long*)scratch;
    if (tag[r] == (unsigned long long)x) {
        y[r] = scratch[2 * rows + r];
        hits[0] = 1;
        return;
    }
    tag[r] = (unsigned long long)x;
    y[r] = scratch[2 * rows + r] = SUM;
}
/// The same under the values of x.
extern "C" __global__ void caches_by_values(CSR, float* scratch, float* hits)
{
    ROW;
    unsigned long long key = 1, *tag = (unsigned long long*)scratch;
    for (int c = 0; c < cols; ++c)
        key = key * 6364136223846793005ull + __float_as_uint(x[c]);
    if (tag[r] == key) {
        y[r] = scratch[2 * rows + r];
        hits[0] = 1;
        return;
    }
    tag[r] = key;
    y[r] = scratch[2 * rows + r] = SUM;
}
/// What does not depend on x is made once.
extern "C" __global__ void prepares_once(CSR, float* scratch, float* hits)
{
    ROW;
    int* tag = (int*)scratch;
    if (tag[r] == 0x1234567)
        hits[0] = 1;
    tag[r] = 0x1234567;
    y[r] = SUM;
}
