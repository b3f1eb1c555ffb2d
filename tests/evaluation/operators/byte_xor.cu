//! task   operator
//! const  THREADS = 128
//! launch differ<<<ceil_div(x.numel, THREADS), THREADS>>>(x, y, out, x.numel)
extern "C" __global__ void differ(const unsigned char* x, const unsigned char* y, unsigned char* out,
                                  int count)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count)
        out[i] = x[i] ^ y[i];
}
