// The input of the next step is written into managed memory that the step before may still read.
#include <cstdio>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

struct Step {
    int from, to;
};

__global__ void count(const Step *step, int *total) {
    int i = step->from + (int)threadIdx.x;
    if (i < step->to) atomicAdd(total, i);
}

int main() {
    Step *step;
    int *total, sum;
    CHECK(cudaMallocManaged(&step, sizeof *step));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemset(total, 0, sizeof *total));
    for (int k = 0; k < 3; k++) {
        *step = {k * 10, k * 10 + 10}; //~ O004
        count<<<1, 32>>>(step, total);
    }
    CHECK(cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost));
    printf("sum: %d\n", sum);
    CHECK(cudaFree(total));
    CHECK(cudaFree(step));
}
