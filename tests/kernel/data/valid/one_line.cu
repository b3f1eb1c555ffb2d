//! task spmv
//! const T = 8
//! launch k<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void k(int n, const int* p, const int* c, const float* v, const float* x, float* y) {int r=blockIdx.x*blockDim.x+threadIdx.x;if(r<n){float s=0;for(int i=p[r],e=p[r+1];i<e;i++)s+=v[i]*x[c[i]];y[r]=s;}}