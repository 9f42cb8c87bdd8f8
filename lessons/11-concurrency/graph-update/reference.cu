// What run_batches() should do, with a launch for each batch.

__global__ void all(const unsigned *in, unsigned key, unsigned *out) {
    unsigned v = (in[threadIdx.x] ^ key) * 1664525u;
    for (int round = 0; round < 7; round++) {
        v += 1013904223u;
        v = v << 13 | v >> 19;
    }
    out[threadIdx.x] = v;
}

void run_batches(const unsigned *in, const unsigned *keys, unsigned *, unsigned *out, int batches) {
    for (int batch = 0; batch < batches; batch++) {
        all<<<1, 5>>>(in + batch * 5, keys[batch], out + batch * 5);
        cudaGetLastError();
    }
}
