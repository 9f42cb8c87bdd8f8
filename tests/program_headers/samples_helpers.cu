// NVIDIA's samples lean on these.
//~ calls: cudaMalloc cudaGetErrorName fprintf exit cudaSetDevice gettimeofday nvtxRangePushA nvtxRangePop cudaProfilerStart
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <helper_math.h>
#include <nvToolsExt.h>

__global__ void push(float3 *x) { x[threadIdx.x] += 0.5f * normalize(make_float3(1, 2, 3)) * dot(x[0], x[1]); }

int main(int argc, char **argv) {
    int device = findCudaDevice(argc, (const char **)argv);
    float3 *x;
    checkCudaErrors(cudaMalloc((void **)&x, 32 * sizeof(float3)));
    int n = 10;
    if (checkCmdLineFlag(argc, (const char **)argv, "n")) n = getCmdLineArgumentInt(argc, (const char **)argv, "n=");
    StopWatchInterface *timer = nullptr;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    cudaProfilerStart();
    nvtxRangePush("push");
    push<<<1, n>>>(x);
    nvtxRangePop();
    getLastCudaError("push failed");
    checkCudaErrors(cudaDeviceSynchronize());
    sdkStopTimer(&timer);
    printf("%f ms on %d\n", sdkGetTimerValue(&timer), device);
    sdkDeleteTimer(&timer);
    checkCudaErrors(cudaFree(x));
    return EXIT_SUCCESS;
}
