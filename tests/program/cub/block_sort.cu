// Sorting a block's elements: by radix, with and without values, down and up, and by merging.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>
#include <cstdio>

const int THREADS = 64, EACH = 3, N = THREADS * EACH;

__global__ void keys_up(int *keys) {
    using Sort = cub::BlockRadixSort<int, THREADS, EACH>;
    __shared__ Sort::TempStorage storage;
    int mine[EACH];
    cub::LoadDirectBlocked(threadIdx.x, keys, mine);
    Sort(storage).Sort(mine);
    cub::StoreDirectBlocked(threadIdx.x, keys, mine);
}

__global__ void pairs_down(float *keys, unsigned *values) {
    using Sort = cub::BlockRadixSort<float, THREADS, EACH, unsigned>;
    __shared__ Sort::TempStorage storage;
    float key[EACH];
    unsigned value[EACH];
    cub::LoadDirectBlocked(threadIdx.x, keys, key);
    cub::LoadDirectBlocked(threadIdx.x, values, value);
    Sort(storage).SortDescendingBlockedToStriped(key, value);
    cub::StoreDirectStriped<THREADS>(threadIdx.x, keys, key);
    cub::StoreDirectStriped<THREADS>(threadIdx.x, values, value);
}

struct Last {
    __device__ bool operator()(int a, int b) const { return a % 10 < b % 10; }
};

__global__ void merged(int *keys) {
    using Sort = cub::BlockMergeSort<int, THREADS, EACH>;
    __shared__ Sort::TempStorage storage;
    int mine[EACH];
    cub::LoadDirectBlocked(threadIdx.x, keys, mine);
    Sort(storage).StableSort(mine, Last());
    cub::StoreDirectBlocked(threadIdx.x, keys, mine);
}

int main() {
    int *a, *b;
    float *x;
    unsigned *place;
    cudaMallocManaged(&a, N * sizeof(int));
    cudaMallocManaged(&b, N * sizeof(int));
    cudaMallocManaged(&x, N * sizeof(float));
    cudaMallocManaged(&place, N * sizeof(unsigned));
    for (int i = 0; i < N; i++) {
        a[i] = b[i] = i * 89 % 251 - 100;
        x[i] = (i * 71 % 193 - 90) * 0.5f;
        place[i] = i;
    }
    for (int i = 0; i < N; i++) b[i] += 100;
    keys_up<<<1, THREADS>>>(a);
    pairs_down<<<1, THREADS>>>(x, place);
    merged<<<1, THREADS>>>(b);
    cudaDeviceSynchronize();
    int wrong[3] = {};
    for (int i = 1; i < N; i++) {
        wrong[0] += a[i - 1] > a[i];
        wrong[1] += x[i - 1] < x[i];
        wrong[2] += b[i - 1] % 10 > b[i] % 10;
    }
    for (int i = 0; i < N; i++) wrong[1] += x[i] != (int(place[i]) * 71 % 193 - 90) * 0.5f;
    printf("%d %d %d wrong\n", wrong[0], wrong[1], wrong[2]);
    printf("%d to %d, %.1f (from %u) to %.1f, %d %d\n", a[0], a[N - 1], x[0], place[0], x[N - 1], b[0], b[N - 1]);
    cudaFree(a), cudaFree(b), cudaFree(x), cudaFree(place);
}
