// A thread for each rank, which is right: NCCL may wait in each for the others, and here they do not run meanwhile.
// devices: 2
// exit: unsupported
#include <cstdio>
#include <nccl.h>
#include <thread>

int main() {
    ncclUniqueId id;
    ncclGetUniqueId(&id);
    printf("two ranks\n");
    std::thread ranks[2];
    for (int r = 0; r < 2; r++) {
        ranks[r] = std::thread([=] {
            ncclComm_t comm;
            float *x;
            cudaSetDevice(r);
            ncclCommInitRank(&comm, 2, id, r);
            cudaMalloc(&x, sizeof(float));
            cudaMemset(x, 0, sizeof(float));
            ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, 0);
            cudaStreamSynchronize(0);
            cudaFree(x);
            ncclCommDestroy(comm);
        });
    }
    for (std::thread &rank : ranks) {
        rank.join();
    }
    printf("done\n");
}
