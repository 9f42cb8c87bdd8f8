// Every way to launch, and what is asked of kernels.
//~ calls: __cudaCDP2GetParameterBufferV2 __cudaCDP2LaunchDeviceV2 cudaLaunchKernel cudaLaunchCooperativeKernel
//~ calls: cudaLaunchKernelExC cudaLaunchHostFunc cudaFuncSetAttribute cudaFuncGetAttributes cudaFuncSetCacheConfig
//~ calls: cudaOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags
//~ calls: cudaDeviceGetAttribute cudaGetDevice cudaOccupancyAvailableDynamicSMemPerBlock
//~ calls: cudaStreamCreate cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy
//~ calls: cudaStreamSynchronize cudaStreamQuery cudaStreamWaitEvent malloc free
//~ calls: cudaEventCreate cudaEventCreateWithFlags cudaEventRecord cudaEventSynchronize cudaEventElapsedTime
//~ calls: cudaEventDestroy cudaEventQuery cudaGetLastError cudaPeekAtLastError cudaGetErrorName cudaGetErrorString
//~ calls: cudaGetDeviceProperties cudaGetDeviceCount cudaSetDevice cudaDeviceReset vprintf
//~ calls no others
#include <cuda_runtime.h>
#include <device_launch_parameters.h>

__global__ void plain(float *x, int n) { x[n] = 1; }
template <class T> __global__ void of_type(T *x, T value) { x[threadIdx.x] = value; }
extern __shared__ float dynamic[];
__global__ void with_shared(float *x) {
    dynamic[threadIdx.x] = 1;
    x[threadIdx.x] = dynamic[threadIdx.x];
}
void callback(cudaStream_t, cudaError_t, void *) {}
void host_function(void *) {}

int main() {
    float *x = nullptr;
    int n = 3, blocks, size;
    dim3 grid(2, 3), block = 32;
    cudaStream_t stream, second, third;
    cudaStreamCreate(&stream);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaStreamCreateWithPriority(&third, cudaStreamNonBlocking, -1);
    plain<<<1, 1>>>(x, n);
    plain<<<grid, block, 128, stream>>>(x, n);
    of_type<double><<<grid, 64>>>(nullptr, 1.0);
    of_type<<<grid, 64, 0, cudaStreamPerThread>>>(x, 1.0f);
    void (*pointer)(float *, int) = n > 2 ? plain : nullptr;
    pointer<<<1, 1>>>(x, n);
    void *arguments[] = {&x, &n};
    cudaLaunchKernel((void *)plain, grid, block, arguments, 0, stream);
    cudaLaunchKernel(plain, grid, block, arguments);
    cudaLaunchCooperativeKernel((const void *)plain, grid, block, arguments, 0, stream);
    cudaLaunchCooperativeKernel(plain, grid, block, arguments);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, plain, x, n);
    cudaLaunchKernelEx(&config, of_type<float>, x, 2);
    cudaFuncSetAttribute(with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    cudaFuncSetCacheConfig(with_shared, cudaFuncCachePreferShared);
    cudaFuncAttributes attributes;
    cudaFuncGetAttributes(&attributes, with_shared);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of_type<float>, 256, 0);
    cudaOccupancyMaxPotentialBlockSize(&blocks, &size, plain);
    cudaOccupancyMaxPotentialBlockSize(&blocks, &size, plain, 0, 256);
    cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &size, with_shared, [](int b) { return b * sizeof(float); });
    size_t bytes;
    cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, with_shared, 1, 256);
    cudaEvent_t start, stop, untimed;
    cudaEventCreate(&start);
    cudaEventCreate(&stop, cudaEventDefault);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    cudaEventRecord(start);
    cudaEventRecord(stop, stream);
    cudaStreamWaitEvent(second, stop);
    cudaStreamWaitEvent(second, stop, 0);
    cudaStreamAddCallback(stream, callback, nullptr, 0);
    cudaLaunchHostFunc(stream, host_function, nullptr);
    cudaEventSynchronize(stop);
    cudaEventQuery(stop);
    float ms;
    cudaEventElapsedTime(&ms, start, stop);
    cudaEventDestroy(start);
    cudaStreamQuery(stream);
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    cudaError_t error = cudaGetLastError();
    printf("%s %s %d %f\n", cudaGetErrorName(error), cudaGetErrorString(cudaPeekAtLastError()), error, ms);
    cudaDeviceProp properties;
    int devices;
    cudaGetDeviceCount(&devices);
    cudaSetDevice(devices - 1);
    cudaGetDeviceProperties(&properties, 0);
    printf("%s %zu\n", properties.name, properties.totalGlobalMem + bytes + attributes.numRegs);
    cudaDeviceReset();
    return 0;
}
