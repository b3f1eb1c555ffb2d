//! task spmv
//! part p = rows with length in [0, 3)
//! part q = rows with length in [3, inf)
//! format coo
//! format csc
//! format ell
//! format s1 = sell(slice=4, sigma=8)
//! format hyb(width=2)
//! format h2 = hyb(quantile=50)
//! format dia
//! format bsr(block=3)
//! format csr16
//! format sell16(slice=2, sigma=4)
//! format csr5(sigma=4)
//! format tiles(items=7)
//! format blocks(nnz=9)
//! format windows(rows=4)
//! format panels(width=5)
//! format order
//! format dense
//! format pe = ell of p
//! format ps = sell(slice=2,sigma=2) of q
//! format po = order of q
//! scratch t f32[rows * 2] zero
//! prepared z i64[nnz]
//! prepared e u8[0]
//! zero y
//! prepare k<<<1, 32>>>(z, csr.col)
//! launch k<<<dim3(1, 2, 3), dim3(8, 4), 1024>>>(csr.val, coo.row, csc.col_ptr, ell.col, s1.row_ids, hyb.coo_val, h2.width, dia.offset, bsr.blocks, csr16.off, sell16.base, csr5.flag, tiles.nz, blocks.row, windows.col, panels.row_ptr, order.row_ids, dense.val, pe.val, ps.slice_ptr, po.row_ids, p.rows, q.nnz, t, z, e, x, y)
extern "C" __global__ void k() {}
