// devices: 2
#include <nccl.h>
int main() {
    const int ranks = 2, n = 8;
    ncclComm_t comm[ranks];
    cudaStream_t st[ranks];
    float *in[ranks], *out[ranks];
    ncclCommInitAll(comm, ranks, nullptr);
    for (int r = 0; r < ranks; r++) {
        cudaSetDevice(r);
        cudaStreamCreate(&st[r]);
        cudaMalloc(&in[r], n * sizeof(float));
        cudaMalloc(&out[r], n * sizeof(float));
        cudaMemset(in[r], 0, n * sizeof(float));
        cudaDeviceSynchronize();
    }
#ifdef FIXED
    ncclGroupStart();
#endif
    for (int r = 0; r < ranks; r++)
        ncclAllReduce(in[r], out[r], n, ncclFloat, ncclSum, comm[r], st[r]);
#ifdef FIXED
    ncclGroupEnd();
#endif
    for (int r = 0; r < ranks; r++) {
        cudaSetDevice(r);
        cudaStreamSynchronize(st[r]);
        cudaFree(in[r]);
        cudaFree(out[r]);
        cudaStreamDestroy(st[r]);
        ncclCommDestroy(comm[r]);
    }
}
