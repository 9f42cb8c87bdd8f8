// The driver API beside a kernel of the runtime: a context, memory, copies, memsets, a stream and events; and the errors
// of calls that come too early.
#include <cuda.h>
#include <cstdio>
#include <cstring>

#define CHECK(call)                                      \
    do {                                                 \
        CUresult error = call;                           \
        if (error != CUDA_SUCCESS) {                     \
            const char *text;                            \
            cuGetErrorString(error, &text);              \
            printf("%s: %s\n", #call, text);             \
            return 1;                                    \
        }                                                \
    } while (0)

__global__ void add(const int *x, int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += x[i];
}

int main() {
    int count = 0, device, n = 1000, major;
    CUdeviceptr x, y, z;
    CUcontext context, current;
    if (cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED) printf("not initialised\n");
    CHECK(cuInit(0));
    CHECK(cuDeviceGetCount(&count));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    size_t bytes = n * sizeof(int), all, free_bytes, total;
    char name[64];
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDeviceTotalMem(&all, device));
    if (cuMemAlloc(&x, bytes) == CUDA_ERROR_INVALID_CONTEXT) printf("no context\n");
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuCtxGetCurrent(&current));
    CHECK(cuMemGetInfo(&free_bytes, &total));
    printf("%d, %d, %d, %d\n", count >= 1, strlen(name) > 0, current == context, total <= all && free_bytes < total);

    CHECK(cuMemAlloc(&x, bytes));
    CHECK(cuMemAlloc(&y, bytes));
    CHECK(cuMemAlloc(&z, bytes));
    int host[1000];
    for (int i = 0; i < n; i++) host[i] = i;
    CHECK(cuMemcpyHtoD(x, host, bytes));
    CHECK(cuMemsetD32(y, 5, n));
    CHECK(cuMemsetD8(y, 0, 4));
    CUstream stream;
    CUevent start, stop;
    CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CHECK(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    CHECK(cuCtxSynchronize());
    CHECK(cuEventRecord(start, stream));
    add<<<(n + 255) / 256, 256, 0, stream>>>((const int *)x, (int *)y, n);
    CHECK(cuEventRecord(stop, stream));
    CHECK(cuMemcpyDtoDAsync(z, y, bytes, stream));
    CHECK(cuStreamSynchronize(stream));
    float ms = -1;
    CHECK(cuEventElapsedTime(&ms, start, stop));
    CHECK(cuMemcpyDtoH(host, z, bytes));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += host[i] != (i == 0 ? 0 : i + 5);
    printf("%d wrong, %d\n", wrong, ms > 0);
    CHECK(cuEventDestroy(start));
    CHECK(cuEventDestroy(stop));
    CHECK(cuStreamDestroy(stream));
    CHECK(cuMemFree(x));
    CHECK(cuMemFree(y));
    CHECK(cuMemFree(z));
    CHECK(cuCtxDestroy(context));
}
