//! task spmv
//! launch unrolled<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void unrolled(int rows, const int* rp, const int* ci, const float* av, const float* x, float* y)
{
    int row = blockDim.x * blockIdx.x + threadIdx.x;
    if (row >= rows) return;
    int j = rp[row];
    const int end = rp[row + 1];
    float s0 = 0.f, s1 = 0.f, s2 = 0.f, s3 = 0.f;
    // main loop: four independent accumulators for instruction-level parallelism
    for (; j + 3 < end; j += 4) {
        s0 += av[j + 0] * x[ci[j + 0]];
        s1 += av[j + 1] * x[ci[j + 1]];
        s2 += av[j + 2] * x[ci[j + 2]];
        s3 += av[j + 3] * x[ci[j + 3]];
    }
    // remainder
    switch (end - j) {
    case 3: s2 += av[j + 2] * x[ci[j + 2]]; // fall through
    case 2: s1 += av[j + 1] * x[ci[j + 1]]; // fall through
    case 1: s0 += av[j] * x[ci[j]];
    default: break;
    }
    y[row] = (s0 + s1) + (s2 + s3);
}
