/* SPDX-License-Identifier: MIT */
// SPDX-License-Identifier: GPL-2.0
__global__ void f(float* a) { a[threadIdx.x] = 1; }
