// The functions of <cmath> for floats are in std under their names of C, too, in host code and in kernels.
#include <cmath>
#include <cstdio>

__global__ void k(float x) { printf("%g %g\n", std::fmaxf(x, 2), std::log1pf(0)); }

int main() {
    k<<<1, 1>>>(1);
    cudaDeviceSynchronize();
    printf("%g %g\n", std::roundf(2.5f), std::sqrtf(9));
}
