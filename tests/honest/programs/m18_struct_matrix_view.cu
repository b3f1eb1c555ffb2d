//! task spmm
//! launch views<<<dim3(ceil_div(rows, 32), 1), dim3(32, 4)>>>(rows, dense_cols, csr.row_ptr, csr.col, csr.val, B, C)
template <typename T>
class RowMajor {
public:
    __device__ RowMajor(T* data, int ld) : data_(data), ld_(ld) {}
    __device__ T& operator()(int r, int c) const { return data_[r * ld_ + c]; }
private:
    T* data_;
    int ld_;
};
extern "C" __global__ void views(int rows, int n, const int* rp, const int* ci, const float* va, const float* b, float* c)
{
    RowMajor<const float> B(b, n);
    RowMajor<float> C(c, n);
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        for (int j = threadIdx.y; j < n; j += blockDim.y) {
            float sum{0};
            for (int k = rp[row]; k < rp[row + 1]; ++k) sum += va[k] * B(ci[k], j);
            C(row, j) = sum;
        }
}
