// Column-major ELL, one thread per row.
extern "C" __global__ void spmv(int rows, int width, const int* col, const float* val, const float* x, float* y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = 0; k < width; ++k)
        sum += val[k * rows + row] * x[col[k * rows + row]];
    y[row] = sum;
}
