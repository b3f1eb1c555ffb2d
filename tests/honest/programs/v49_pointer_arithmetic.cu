//! task spmv
//! launch ptrs<<<ceil_div(rows, 128), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)
extern "C" __global__ void ptrs(int rows, const int* rp, const int* ci, const float* va, const float* x, float* y)
{
	// tabs, goto-free pointer walking
	const unsigned long long gid = (unsigned long long) blockIdx.x * blockDim.x + threadIdx.x;
	if (gid >= (unsigned long long) rows)
		return;
	const float *v = va + rp[gid];
	const float *const v_end = va + rp[gid + 1];
	const int *c = ci + rp[gid];
	float s = 0.0f;
	while (v != v_end)
		s += *v++ * x[*c++];
	*(y + gid) = s;
}
