// GNU General Public License
__global__ void f(float* a) { a[threadIdx.x] = 1; }
