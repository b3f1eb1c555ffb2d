/* Copyright
 * Redistribution and use in source and binary forms
 */
__global__ void f(float* a) { a[threadIdx.x] = 1; }
