#include <nccl.h>

int main() {
    const int n = 64, part = n, rank = 0;
    float *x;
    ncclComm_t comm;
    cudaStream_t stream;
    ncclCommInitAll(&comm, 1, nullptr);
    cudaStreamCreate(&stream);
    cudaMalloc(&x, (n + 1) * sizeof(float));
    cudaMemset(x, 0, (n + 1) * sizeof(float));
    cudaDeviceSynchronize();
#ifdef FIXED
    ncclAllReduce(x, x, n, ncclFloat, ncclSum, comm, stream);
    ncclReduceScatter(x, x + rank * part, part, ncclFloat, ncclSum, comm, stream);
    ncclAllGather(x + rank * part, x, part, ncclFloat, comm, stream);
#else
    ncclAllReduce(x, x + 1, n, ncclFloat, ncclSum, comm, stream);
#endif
    cudaStreamSynchronize(stream);
    ncclCommDestroy(comm);
    cudaFree(x);
    cudaStreamDestroy(stream);
}
