// Whole numbers of 128 bits, in kernels and on the host: products modulo a prime, quotients, shifts, and
// what they are as floats.
#include <cstdint>
#include <cstdio>

typedef unsigned __int128 u128;

__host__ __device__ uint64_t power(uint64_t base, uint64_t exponent, uint64_t modulus) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result = (u128)result * base % modulus;
        base = (u128)base * base % modulus;
    }
    return result;
}

__global__ void powers(uint64_t *out, uint64_t modulus) {
    out[threadIdx.x] = power(threadIdx.x + (1ull << 60), modulus - 2, modulus);
}

__host__ __device__ void operations(u128 a, u128 b, u128 *out) {
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = a % b;
    out[5] = a << (int)(b & 127);
    out[6] = a >> (int)(b & 127);
    out[7] = (__int128)a / (__int128)-b;
    out[8] = (__int128)a >> 70;
    out[9] = a < b;
    out[10] = (__int128)a < (__int128)b;
    out[11] = (u128)(double)(a >> 3);
    out[12] = (u128)(int64_t)(float)(__int128)(a >> 70);
}
const int OPERATIONS = 13;

__global__ void all(const u128 *a, const u128 *b, u128 *out) {
    operations(a[threadIdx.x], b[threadIdx.x], out + OPERATIONS * threadIdx.x);
}

int main() {
    const uint64_t prime = 18446744073709551557ull;
    uint64_t *inverse;
    cudaMallocManaged(&inverse, 32 * sizeof(uint64_t));
    powers<<<1, 32>>>(inverse, prime);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 0; i < 32; i++) wrong += (u128)inverse[i] * (i + (1ull << 60)) % prime != 1;
    printf("%d inverses wrong, %llu\n", wrong, (unsigned long long)inverse[7]);

    const int n = 8;
    u128 *a, *b, *out, expected[OPERATIONS];
    cudaMallocManaged(&a, n * sizeof(u128));
    cudaMallocManaged(&b, n * sizeof(u128));
    cudaMallocManaged(&out, n * OPERATIONS * sizeof(u128));
    u128 x = 1;
    for (int i = 0; i < n; i++) {
        a[i] = x = x * 6364136223846793005ull + 1442695040888963407ull;
        b[i] = (x = x * 6364136223846793005ull + 1442695040888963407ull) >> (i * 17);
    }
    all<<<1, n>>>(a, b, out);
    cudaDeviceSynchronize();
    wrong = 0;
    u128 sum = 0;
    for (int i = 0; i < n; i++) {
        operations(a[i], b[i], expected);
        for (int k = 0; k < OPERATIONS; k++) {
            wrong += out[OPERATIONS * i + k] != expected[k];
            sum = sum * 31 + expected[k];
        }
    }
    printf("%d wrong, %016llx%016llx\n", wrong, (unsigned long long)(sum >> 64), (unsigned long long)sum);
    cudaFree(inverse), cudaFree(a), cudaFree(b), cudaFree(out);
}
