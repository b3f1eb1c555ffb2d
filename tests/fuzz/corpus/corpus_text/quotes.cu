char c = '\''; const char* s = "a\"b"; __global__ void f(float* a) { a[threadIdx.x] = 1; }
