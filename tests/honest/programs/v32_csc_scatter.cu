//! task spmv
//! format csc
//! zero y
//! launch scatter<<<ceil_div(cols, 128), 128>>>(cols, csc.col_ptr, csc.row, csc.val, x, y)
extern "C" __global__ void scatter(int n_cols, const int* col_ptr, const int* row, const float* val, const float* x, float* y)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < n_cols)
    {
        const float xc = x[c];
        for (int p = col_ptr[c]; p < col_ptr[c + 1]; ++p)
            atomicAdd(&y[row[p]], xc * val[p]);
    }
}
