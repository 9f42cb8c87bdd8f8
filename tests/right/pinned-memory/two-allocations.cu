// Two pinned allocations take turns, with an event behind each copy, and a warp adds up before it adds.
#include <cstdio>
#include <cstdlib>
struct Record { unsigned key; unsigned char picture[1020]; };
void make_batch(Record *h, int n, int batch) { for (int i = 0; i < n; i++) h[i].key = 3 * i + batch; }
__global__ void add_keys(const Record *x, unsigned *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = i < n ? x[i].key : 0;
    k = __reduce_add_sync(~0u, k);
    if (threadIdx.x % 32 == 0) atomicAdd(total, k);
}
void sum_keys(unsigned *d_sums, unsigned char *d_x, int batches, int n, int first) {
    Record *h[2]; cudaEvent_t free_[2];
    for (int k = 0; k < 2; k++) { cudaHostAlloc((void **)&h[k], n * sizeof(Record), cudaHostAllocDefault); cudaEventCreateWithFlags(&free_[k], cudaEventBlockingSync); }
    cudaMemsetAsync(d_sums, 0, batches * sizeof *d_sums);
    for (int b = 0; b < batches; b++) {
        int k = b % 2;
        cudaEventSynchronize(free_[k]);
        make_batch(h[k], n, first + b);
        cudaMemcpyAsync(d_x, h[k], n * sizeof(Record), cudaMemcpyHostToDevice);
        cudaEventRecord(free_[k]);
        add_keys<<<(n + 127) / 128, 128>>>(reinterpret_cast<Record *>(d_x), &d_sums[b], n);
    }
    cudaDeviceSynchronize();
    for (int k = 0; k < 2; k++) { cudaFreeHost(h[k]); cudaEventDestroy(free_[k]); }
}
int main() {}
