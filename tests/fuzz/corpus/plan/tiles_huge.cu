//! task spmv
//! format tiles(items=2147483647)
//! format windows(rows=2147483647)
//! format panels(width=2147483647)
//! format bsr(block=2147483647)
//! format blocks(nnz=2147483647)
//! launch k<<<1, 1>>>(tiles.row, y)
extern "C" __global__ void k() {}
