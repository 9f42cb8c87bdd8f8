// Each of two threads makes the call of its rank in a group of its own, and waits for the sum.
// devices: 2
// exit: unsupported
#include <cstdio>
#include <nccl.h>
#include <thread>

int main() {
    ncclComm_t comms[2];
    ncclCommInitAll(comms, 2, nullptr);
    printf("two ranks\n");
    std::thread ranks[2];
    for (int r = 0; r < 2; r++) {
        ncclComm_t comm = comms[r];
        ranks[r] = std::thread([=] {
            float *x;
            cudaSetDevice(r);
            cudaMalloc(&x, sizeof(float));
            cudaMemset(x, 0, sizeof(float));
            ncclGroupStart();
            ncclAllReduce(x, x, 1, ncclFloat, ncclSum, comm, 0);
            ncclGroupEnd();
            cudaStreamSynchronize(0);
            cudaFree(x);
        });
    }
    for (int r = 0; r < 2; r++) {
        ranks[r].join();
        ncclCommDestroy(comms[r]);
    }
    printf("done\n");
}
