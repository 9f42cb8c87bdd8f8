// Overloads of the memory calls, as programs write them.
//~ calls: cudaMalloc cudaMallocManaged cudaMallocHost cudaHostAlloc cudaMallocPitch cudaMallocAsync
//~ calls: cudaMallocFromPoolAsync cudaFreeAsync cudaFreeHost cudaFree cudaHostRegister cudaHostUnregister
//~ calls: cudaHostGetDevicePointer cudaMalloc3D cudaMemcpy3D cudaMemcpy cudaMemcpyAsync cudaMemcpy2D
//~ calls: cudaMemcpyPeer cudaMemset cudaMemset2D cudaMemsetAsync cudaMemcpyToSymbol cudaMemcpyFromSymbol
//~ calls: cudaMemcpyToSymbolAsync cudaGetSymbolAddress cudaGetSymbolSize cudaMemPrefetchAsync
//~ calls: cudaMemPrefetchAsync_v2 cudaMemAdvise cudaMemAdvise_v2 cudaMemGetInfo cudaPointerGetAttributes
//~ calls: cudaDeviceGetDefaultMemPool cudaMemPoolSetAttribute cudaMemPoolCreate cudaMemPoolDestroy
//~ calls no others
#include <cuda_runtime.h>

struct Particle {
    float3 position;
    int id;
};
__constant__ float weights[16];
__device__ int counter;
__managed__ int shared_counter;

int main() {
    Particle *p;
    float *f, *h;
    void *v;
    size_t pitch, bytes, total;
    cudaMalloc(&p, 10 * sizeof(Particle));
    cudaMalloc((void **)&f, 4);
    cudaMalloc(&v, 4);
    cudaMallocManaged(&f, 4);
    cudaMallocManaged(&f, 4, cudaMemAttachHost);
    cudaMallocHost(&h, 4);
    cudaMallocHost((void **)&h, 4);
    cudaMallocHost(&h, 4, cudaHostAllocPortable);
    cudaHostAlloc(&h, 4, cudaHostAllocMapped);
    cudaHostGetDevicePointer(&f, h, 0);
    cudaMallocPitch(&f, &pitch, 100, 10);
    cudaStream_t stream = 0;
    cudaMemPool_t pool;
    cudaMemPoolProps props = {};
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolCreate(&pool, &props);
    unsigned long long threshold = ~0ull;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);
    cudaMallocAsync(&f, 4, stream);
    cudaMallocAsync((void **)&f, 4, pool, stream);
    cudaMallocAsync(&f, 4, pool, cudaStreamPerThread);
    cudaFreeAsync(f, stream);
    cudaMemPoolDestroy(pool);
    cudaHostRegister(h, 4, cudaHostRegisterDefault);
    cudaHostUnregister(h);
    cudaPitchedPtr pitched;
    cudaMalloc3D(&pitched, make_cudaExtent(64, 4, 4));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(h, 64, 16, 4);
    copy.dstPtr = pitched;
    copy.extent = make_cudaExtent(64, 4, 4);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaMemcpy(f, h, 4, cudaMemcpyDefault);
    cudaMemcpyAsync(f, h, 4, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(f, h, 4, cudaMemcpyHostToDevice, stream);
    cudaMemcpy2D(f, pitch, h, 4, 4, 1, cudaMemcpyHostToDevice);
    cudaMemcpyPeer(f, 1, f, 0, 4);
    cudaMemset(f, 0, 4);
    cudaMemset2D(f, pitch, 0, 4, 1);
    cudaMemsetAsync(f, 0, 4);
    cudaMemcpyToSymbol(weights, h, sizeof(weights));
    cudaMemcpyToSymbol(counter, &pitch, sizeof(int), 0, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbolAsync(counter, &pitch, sizeof(int), 0, cudaMemcpyHostToDevice, stream);
    cudaMemcpyFromSymbol(&bytes, counter, sizeof(int));
    int *at;
    cudaGetSymbolAddress((void **)&at, counter);
    cudaGetSymbolSize(&bytes, weights);
    cudaMemPrefetchAsync(f, 4, 0);
    cudaMemPrefetchAsync(f, 4, cudaCpuDeviceId, stream);
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
    cudaMemPrefetchAsync(f, 4, here, 0, stream);
    cudaMemAdvise(f, 4, cudaMemAdviseSetReadMostly, 0);
    cudaMemAdvise(f, 4, cudaMemAdviseSetPreferredLocation, here);
    cudaMemGetInfo(&bytes, &total);
    cudaPointerAttributes attributes;
    cudaPointerGetAttributes(&attributes, f);
    shared_counter = 1;
    cudaFreeHost(h);
    return cudaFree(f) == cudaSuccess ? 0 : attributes.device;
}
