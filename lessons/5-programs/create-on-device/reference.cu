// What fill() should leave: worked out on the host, then copied.
#include <vector>

// A random number from 0 to 1 for each seed and index: Philox 2x32 with ten
// rounds (Salmon et al., 2011). It is arithmetic on its arguments and nothing
// else, so every number can be computed by itself.
__host__ __device__ float uniform(unsigned seed, unsigned index) {
    unsigned a = index, b = 0, key = seed;
    for (int round = 0; round < 10; round++) {
        unsigned long long product = 0xD256D193ull * a;
        a = (unsigned)(product >> 32) ^ key ^ b;
        b = (unsigned)product;
        key += 0x9E3779B9;
    }
    return (a >> 8) * (1.0f / 16777216.0f);
}

void fill(float *out, unsigned seed, int n) {
    std::vector<float> numbers(n);
    for (int i = 0; i < n; i++) {
        numbers[i] = uniform(seed, i);
    }
    cudaMemcpy(out, numbers.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
