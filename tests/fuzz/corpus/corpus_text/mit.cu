// SPDX-License-Identifier: MIT
// Copyright A

__global__ void f(float* a) { a[threadIdx.x] = 1; }
