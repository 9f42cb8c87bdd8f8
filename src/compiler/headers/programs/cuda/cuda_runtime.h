// The runtime as C++ sees it: overloads that take the program's own types, all ending in a call of
// cuda_runtime_api.h.
#pragma once
#include <cuda_runtime_api.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

// Memory.

template <class T> cudaError_t cudaMalloc(T **out, size_t bytes) { return cudaMalloc((void **)(void *)out, bytes); }
template <class T> cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
    return cudaMallocManaged((void **)(void *)out, bytes, flags);
}
inline cudaError_t cudaMallocHost(void **out, size_t bytes, unsigned flags) { return cudaHostAlloc(out, bytes, flags); }
template <class T> cudaError_t cudaMallocHost(T **out, size_t bytes) { return cudaMallocHost((void **)(void *)out, bytes); }
template <class T> cudaError_t cudaMallocHost(T **out, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)(void *)out, bytes, flags);
}
template <class T> cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags) {
    return cudaHostAlloc((void **)(void *)out, bytes, flags);
}
template <class T> cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned flags) {
    return cudaHostGetDevicePointer((void **)(void *)out, host, flags);
}
template <class T> cudaError_t cudaMallocPitch(T **out, size_t *pitch, size_t width_bytes, size_t height) {
    return cudaMallocPitch((void **)(void *)out, pitch, width_bytes, height);
}
template <class T> cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t stream) {
    return cudaMallocAsync((void **)(void *)out, bytes, stream);
}
inline cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync(out, bytes, pool, stream);
}
template <class T> cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)out, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocFromPoolAsync(T **out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    return cudaMallocFromPoolAsync((void **)(void *)out, bytes, pool, stream);
}
inline cudaError_t cudaMemAdvise(const void *memory, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
    return cudaMemAdvise_v2(memory, bytes, advice, location);
}
inline cudaError_t cudaMemPrefetchAsync(const void *memory, size_t bytes, cudaMemLocation location, unsigned flags,
                                        cudaStream_t stream = 0) {
    return cudaMemPrefetchAsync_v2(memory, bytes, location, flags, stream);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *memory, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
    return cudaStreamAttachMemAsync(stream, (void *)memory, bytes, flags);
}

// Variables of the device, named by themselves.

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return cudaMemcpyToSymbol((const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return cudaMemcpyToSymbolAsync((const void *)&symbol, from, bytes, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return cudaMemcpyFromSymbol(to, (const void *)&symbol, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, bytes, offset, kind, stream);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **out, const T &symbol) {
    return cudaGetSymbolAddress(out, (const void *)&symbol);
}
// Programs pass the address of their own type's pointer too, cast or not.
template <class P, class T> cudaError_t cudaGetSymbolAddress(P **out, const T &symbol) {
    return cudaGetSymbolAddress((void **)(void *)out, (const void *)&symbol);
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *out, const T &symbol) {
    return cudaGetSymbolSize(out, (const void *)&symbol);
}

// Launches. A kernel is its address.

template <class T>
cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
                             cudaStream_t stream = 0) {
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **arguments, size_t shared_bytes = 0,
                                        cudaStream_t stream = 0) {
    return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
// Where a kernel's argument lies: a reference is a pointer to it, as kernels see it.
template <class T> struct __gpulearn_argument {
    void *place;
    __gpulearn_argument(T &value) : place((void *)&value) {}
};
template <class T> struct __gpulearn_argument<T &> {
    T *object;
    void *place;
    __gpulearn_argument(T &value) : object(&value), place((void *)&object) {}
};
template <class... T>
cudaError_t __gpulearn_launch_with(const cudaLaunchConfig_t *config, const void *kernel,
                                   const __gpulearn_argument<T> &...each) {
    void *arguments[sizeof...(T) + 1] = {each.place..., nullptr};
    return cudaLaunchKernelExC(config, kernel, arguments);
}
template <class... Expected>
cudaError_t __gpulearn_launch(const cudaLaunchConfig_t *config, const void *kernel, Expected... values) {
    return __gpulearn_launch_with(config, kernel, __gpulearn_argument<Expected>(values)...);
}
template <class... Expected, class... Given>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, void (*kernel)(Expected...), Given &&...values) {
    return __gpulearn_launch<Expected...>(config, (const void *)kernel, static_cast<Given &&>(values)...);
}
// A launch that passes objects with copy constructors: the copies are the host's, and end with the launch.
template <class... Expected> struct __gpulearn_launch_of {
    cudaLaunchConfig_t config;
    const void *kernel;
    void operator()(Expected... values) const {
        __gpulearn_launch_with(&config, kernel, __gpulearn_argument<Expected>(values)...);
    }
};
template <class... Expected>
__gpulearn_launch_of<Expected...> __gpulearn_launcher(void (*kernel)(Expected...), dim3 grid, dim3 block,
                                                      size_t shared_bytes = 0, cudaStream_t stream = 0) {
    return {{grid, block, shared_bytes, stream, nullptr, 0}, (const void *)kernel};
}
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, T *kernel) {
    return cudaFuncGetAttributes(out, (const void *)kernel);
}
template <class T> cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
    return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config) {
    return cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class T> cudaError_t cudaFuncGetName(const char **out, T *kernel) {
    return cudaFuncGetName(out, (const void *)kernel);
}
template <class T> cudaError_t cudaGetKernel(cudaKernel_t *out, T *kernel) {
    return cudaGetKernel(out, (const void *)kernel);
}

// Occupancy.

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int block_size, size_t shared_bytes) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size, shared_bytes);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size,
                                                                   size_t shared_bytes, unsigned flags) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel, block_size,
                                                                  shared_bytes, flags);
}
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel, int blocks, int block_size) {
    return cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks, block_size);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel, const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel, const cudaLaunchConfig_t *config) {
    return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}

// The largest block that gives the most resident threads; sizes are tried from the largest down.
template <class SharedOfBlock, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *grid_size, int *block_size, T kernel,
                                                                    SharedOfBlock shared_of_block, int limit = 0,
                                                                    unsigned flags = 0) {
    if (!grid_size || !block_size || !(const void *)kernel) return cudaErrorInvalidValue;
    int device, threads, multiprocessors, most;
    cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, device);
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (error != cudaSuccess) return error;
    if (attributes.maxThreadsPerBlock < most) most = attributes.maxThreadsPerBlock;
    if (limit > 0 && limit < most) most = limit;
    int best_threads = 0, best_block = 0, best_blocks = 0;
    for (int aligned = (most + 31) / 32 * 32; aligned > 0 && best_threads < threads; aligned -= 32) {
        int block = aligned < most ? aligned : most, blocks;
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, (const void *)kernel, block,
                                                                       shared_of_block(block), flags);
        if (error != cudaSuccess) return error;
        if (block * blocks > best_threads) {
            best_threads = block * blocks;
            best_block = block;
            best_blocks = blocks;
        }
    }
    *grid_size = best_blocks * multiprocessors;
    *block_size = best_block;
    return cudaSuccess;
}
template <class SharedOfBlock, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size, T kernel,
                                                           SharedOfBlock shared_of_block, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid_size, block_size, kernel, shared_of_block, limit);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int *grid_size, int *block_size, T kernel,
                                                        size_t shared_bytes = 0, int limit = 0, unsigned flags = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid_size, block_size, kernel, [shared_bytes](int) { return shared_bytes; }, limit, flags);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size, T kernel, size_t shared_bytes = 0,
                                               int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(grid_size, block_size, kernel, shared_bytes, limit);
}

// Events and graphs.

inline cudaError_t cudaEventCreate(cudaEvent_t *out, unsigned flags) { return cudaEventCreateWithFlags(out, flags); }
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *error_node, char *log,
                                        size_t log_bytes) {
    if (error_node) *error_node = nullptr;
    if (log && log_bytes) *log = 0;
    return cudaGraphInstantiate(out, graph, 0);
}
inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                       cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info;
    cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
    if (error_node) *error_node = info.errorNode;
    if (result) *result = info.result;
    return error;
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                                           size_t after_count, const T &symbol, const void *from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeToSymbol(out, graph, after, after_count, (const void *)&symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *out, cudaGraph_t graph, const cudaGraphNode_t *after,
                                             size_t after_count, void *to, const T &symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
    return cudaGraphAddMemcpyNodeFromSymbol(out, graph, after, after_count, to, (const void *)&symbol, bytes, offset, kind);
}

// Shapes.

inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void *memory, size_t pitch, size_t width, size_t height) {
    return {memory, pitch, width, height};
}
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
    return {x, y, z, w, kind};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return {16, 16, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return {16, 16, 16, 16, cudaChannelFormatKindFloat}; }
template <class T, class = void> struct __gpulearn_channels {
    using element = T;
};
// A vector type, as float4.
template <class T> struct __gpulearn_channels<T, decltype(void(T().x))> {
    using element = decltype(T().x);
};
template <class T> cudaChannelFormatDesc cudaCreateChannelDesc() {
    using E = typename __gpulearn_channels<T>::element;
    constexpr cudaChannelFormatKind kind = E(0.5) != E(0) ? cudaChannelFormatKindFloat
                                           : E(-1) < E(0) ? cudaChannelFormatKindSigned
                                                          : cudaChannelFormatKindUnsigned;
    constexpr int bits = 8 * sizeof(E), channels = sizeof(T) / sizeof(E);
    return {bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0, channels > 3 ? bits : 0, kind};
}

// What kernels that overlap with the launch before them call.
static inline void cudaTriggerProgrammaticLaunchCompletion() { asm volatile("griddepcontrol.launch_dependents;"); }
static inline void cudaGridDependencySynchronize() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
