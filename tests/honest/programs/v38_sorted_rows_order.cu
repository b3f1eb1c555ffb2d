//! task spmv
//! format order
//! launch by_length<<<ceil_div(rows, 128), 128>>>(rows, order.row_ids, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void by_length(int rows, const int* row_ids, const int* row_ptr, const int* col, const float* val, const float* x, float* y)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= rows) return;
    int row = row_ids[i];           // neighbouring threads have rows of like length
    float acc = 0;
    for (int p = row_ptr[row]; p < row_ptr[row + 1]; p++)
    {
        acc += val[p] * x[col[p]];
    }
    y[row] = acc;
}
