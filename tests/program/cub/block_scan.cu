// Running sums of tiles that are loaded and stored by way of shared memory, by each algorithm of CUB.
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cstdio>

const int THREADS = 64, EACH = 4, TILE = THREADS * EACH;

// What went before: the sum of all tiles so far.
struct Before {
    int sum;
    __device__ int operator()(int tile) {
        int old = sum;
        sum += tile;
        return old;
    }
};

template <cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE, cub::BlockScanAlgorithm SCAN>
__global__ void running(const int *in, int *out, int n) {
    using Load = cub::BlockLoad<int, THREADS, EACH, LOAD>;
    using Store = cub::BlockStore<int, THREADS, EACH, STORE>;
    using Scan = cub::BlockScan<int, THREADS, SCAN>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } storage;
    Before before{0};
    for (int from = 0; from < n; from += TILE) {
        int here = min(TILE, n - from), x[EACH];
        Load(storage.load).Load(in + from, x, here, 0);
        __syncthreads();
        Scan(storage.scan).ExclusiveSum(x, x, before);
        __syncthreads();
        Store(storage.store).Store(out + from, x, here);
        __syncthreads();
    }
}

template <cub::BlockLoadAlgorithm LOAD, cub::BlockStoreAlgorithm STORE, cub::BlockScanAlgorithm SCAN>
void try_it(const char *name, const int *in, int *out, int n) {
    cudaMemset(out, 0xff, n * sizeof(int));
    running<LOAD, STORE, SCAN><<<1, THREADS>>>(in, out, n);
    cudaDeviceSynchronize();
    int sum = 0, wrong = 0;
    for (int i = 0; i < n; i++) {
        wrong += out[i] != sum;
        sum += in[i];
    }
    printf("%s: %d wrong, the last is %d\n", name, wrong, out[n - 1]);
}

__global__ void most_so_far(const float *in, float *out) {
    using Scan = cub::BlockScan<float, THREADS>;
    __shared__ Scan::TempStorage storage;
    float most, all;
    Scan(storage).InclusiveScan(in[threadIdx.x], most, cub::Max(), all);
    out[threadIdx.x] = most;
    if (threadIdx.x == 0) out[THREADS] = all;
}

int main() {
    const int n = 3 * TILE - 100;
    int *in, *out;
    float *x, *y;
    cudaMallocManaged(&in, n * sizeof(int));
    cudaMallocManaged(&out, n * sizeof(int));
    cudaMallocManaged(&x, THREADS * sizeof(float));
    cudaMallocManaged(&y, (THREADS + 1) * sizeof(float));
    for (int i = 0; i < n; i++) in[i] = i * 31 % 17 - 3;
    try_it<cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_DIRECT, cub::BLOCK_SCAN_RAKING>("raking", in, out, n);
    try_it<cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED, cub::BLOCK_SCAN_RAKING_MEMOIZE>("striped", in, out, THREADS);
    try_it<cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE, cub::BLOCK_SCAN_WARP_SCANS>("vectors", in, out, n);
    try_it<cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_TRANSPOSE, cub::BLOCK_SCAN_WARP_SCANS>("transposed", in, out, n);
    try_it<cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE, cub::BLOCK_SCAN_RAKING>("by warps", in, out, n);
    try_it<cub::BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED, cub::BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
           cub::BLOCK_SCAN_WARP_SCANS>("a warp at a time", in, out, n);
    for (int i = 0; i < THREADS; i++) x[i] = i * 23 % 64;
    most_so_far<<<1, THREADS>>>(x, y);
    cudaDeviceSynchronize();
    printf("%.0f %.0f %.0f, of all %.0f\n", y[0], y[1], y[20], y[THREADS]);
    cudaFree(in), cudaFree(out), cudaFree(x), cudaFree(y);
}
