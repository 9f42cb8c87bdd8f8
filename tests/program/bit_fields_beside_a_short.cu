// A thread changes a bit-field of a structure that was set before: the compiler joins the other half of the word with a
// register that it never writes, and masks that out.
#include <cstdio>

struct Flags {
    unsigned is_set : 1, kind : 3, spare : 12;
    short rest;
};

__global__ void make(Flags *flags) {
    int i = threadIdx.x;
    Flags own = flags[i];
    own.kind = i % 5;
    flags[i] = own;
}

int main() {
    const int n = 32;
    Flags *flags, bits[n];
    cudaMalloc(&flags, sizeof bits);
    cudaMemset(flags, 0, sizeof bits);
    make<<<1, n>>>(flags);
    cudaMemcpy(bits, flags, sizeof bits, cudaMemcpyDeviceToHost);
    printf("%u\n", bits[9].kind);
    cudaFree(flags);
}
