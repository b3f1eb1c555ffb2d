//! task spmv f64
//! format sell(slice=32, sigma=64)
//! scratch product f64[rows]
//! launch multiply<<<sell.slices, 32>>>(sell.slice_ptr, sell.col, sell.val, sell.row_ids, x, product)
//! launch combine<<<ceil_div(rows, 64), 64>>>(rows, alpha, product, beta, y)
extern "C" __global__ void multiply(const int* slice_ptr, const int* col, const double* val, const int* row_ids,
                                    const double* x, double* product)
{
    const int row = row_ids[blockIdx.x * 32 + threadIdx.x];
    if (row < 0)
        return;
    double sum = 0;
    for (int i = slice_ptr[blockIdx.x] + threadIdx.x; i < slice_ptr[blockIdx.x + 1]; i += 32)
        sum += val[i] * x[col[i]];
    product[row] = sum;
}
extern "C" __global__ void combine(int rows, double alpha, const double* product, double beta, double* y)
{
    const int row = blockIdx.x * 64 + threadIdx.x;
    if (row >= rows)
        return;
    double out = alpha * product[row];
    if (beta != 0.0)
        out += beta * y[row];
    y[row] = out;
}
