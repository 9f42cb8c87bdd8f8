// Pinned memory that a kernel uses in place, registered memory, and what pointers are.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                   \
    do {                                                                               \
        cudaError_t status_ = (call);                                                  \
        if (status_ != cudaSuccess) {                                                  \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
            exit(EXIT_FAILURE);                                                        \
        }                                                                              \
    } while (0)

__global__ void increase(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}

const char *kind(const void *p) {
    cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) return "error";
    switch (a.type) {
        case cudaMemoryTypeUnregistered: return "unregistered";
        case cudaMemoryTypeHost: return "host";
        case cudaMemoryTypeDevice: return "device";
        case cudaMemoryTypeManaged: return "managed";
    }
    return "?";
}

int main() {
    const int n = 500;
    int *mapped, *device_view, *device, *managed, *copy;
    CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer(&device_view, mapped, 0));
    for (int i = 0; i < n; i++) mapped[i] = i;
    increase<<<4, 128>>>(device_view, n);
    CHECK(cudaDeviceSynchronize());
    printf("mapped[499] = %d\n", mapped[499]);
    int *registered = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) registered[i] = 2 * i;
    CHECK(cudaHostRegister(registered, n * sizeof(int), cudaHostRegisterDefault));
    CHECK(cudaMalloc(&copy, n * sizeof(int)));
    CHECK(cudaMemcpyAsync(copy, registered, n * sizeof(int), cudaMemcpyHostToDevice));
    increase<<<4, 128>>>(copy, n);
    CHECK(cudaMemcpyAsync(registered, copy, n * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaDeviceSynchronize());
    printf("registered[499] = %d\n", registered[499]);
    CHECK(cudaFree(copy));
    CHECK(cudaMalloc(&device, 4));
    CHECK(cudaMallocManaged(&managed, 4));
    int local;
    printf("%s %s %s %s %s\n", kind(mapped), kind(registered), kind(device), kind(managed), kind(&local));
    CHECK(cudaHostUnregister(registered));
    printf("%s\n", kind(registered));
    free(registered);
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(device));
    CHECK(cudaFree(managed));
}
