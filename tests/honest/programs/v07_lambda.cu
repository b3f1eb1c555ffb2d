//! task spmv
//! launch with_lambda<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void with_lambda(int rows, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    // Small lambdas keep the loop body readable.
    auto globalThread = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
    auto load = [&](int j) { return val[j] * x[col[j]]; };
    const auto rowSum = [&](int r) {
        float sum = 0.0f;
        for (int j = row_ptr[r]; j < row_ptr[r + 1]; ++j) sum += load(j);
        return sum;
    };
    const int r = globalThread();
    if (r < rows)
        y[r] = rowSum(r);
}
