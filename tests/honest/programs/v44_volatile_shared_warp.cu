//! task spmv
//! launch old_style<<<ceil_div(rows, 4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// The classic kernel of Bell and Garland, with __syncwarp between the steps.
extern "C" __global__ void old_style(int num_rows, const int* ptr, const int* indices, const float* data, const float* x, float* y)
{
    __shared__ float vals[128];
    int thread_id = blockDim.x * blockIdx.x + threadIdx.x;
    int warp_id = thread_id / 32;
    int lane = thread_id & (32 - 1);
    int row = warp_id;
    if (row < num_rows) {
        int row_start = ptr[row];
        int row_end = ptr[row + 1];
        vals[threadIdx.x] = 0;
        for (int jj = row_start + lane; jj < row_end; jj += 32)
            vals[threadIdx.x] += data[jj] * x[indices[jj]];
        __syncwarp();
        if (lane < 16) vals[threadIdx.x] += vals[threadIdx.x + 16];
        __syncwarp();
        if (lane < 8) vals[threadIdx.x] += vals[threadIdx.x + 8];
        __syncwarp();
        if (lane < 4) vals[threadIdx.x] += vals[threadIdx.x + 4];
        __syncwarp();
        if (lane < 2) vals[threadIdx.x] += vals[threadIdx.x + 2];
        __syncwarp();
        if (lane < 1) vals[threadIdx.x] += vals[threadIdx.x + 1];
        if (lane == 0) y[row] = vals[threadIdx.x];
    }
}
