// What hash_all() should give, without any overlap.
__global__ void hash(const unsigned *data, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned h = data[i * 1024] ^ data[i * 1024 + 1023];
        for (int round = 0; round < 1200; round++) {
            h = (h ^ h >> 15) * 2246822519;
        }
        out[i] = h;
    }
}

void hash_all(const unsigned *data, unsigned *d_out, unsigned *, int batches, int n) {
    int all = batches * n;
    hash<<<(all + 63) / 64, 64>>>(data, d_out, all);
    cudaDeviceSynchronize();
}
