// What the warps of a block do, each for itself: sums, running sums, loads, exchanges and sorting; also
// in groups of fewer lanes than a warp has.
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>
#include <cstdio>

const int THREADS = 128, WARPS = THREADS / 32;

template <int LANES>
__global__ void reduce(const int *in, int *sums, int *most, int *heads) {
    using Reduce = cub::WarpReduce<int, LANES>;
    __shared__ typename Reduce::TempStorage storage[THREADS / LANES];
    int group = threadIdx.x / LANES, x = in[threadIdx.x];
    int sum = Reduce(storage[group]).Sum(x);
    __syncwarp();
    int top = Reduce(storage[group]).Reduce(x, cub::Max());
    __syncwarp();
    int part = Reduce(storage[group]).HeadSegmentedSum(x, threadIdx.x % LANES % 4 == 0);
    if (threadIdx.x % LANES == 0) {
        sums[group] = sum;
        most[group] = top;
        heads[group] = part;
    }
}

template <int LANES>
__global__ void scan(const int *in, int *inclusive, int *exclusive) {
    using Scan = cub::WarpScan<int, LANES>;
    __shared__ typename Scan::TempStorage storage[THREADS / LANES];
    int group = threadIdx.x / LANES;
    Scan(storage[group]).Scan(in[threadIdx.x], inclusive[threadIdx.x], exclusive[threadIdx.x], 0, cub::Sum());
}

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void sort(const int *in, int *out) {
    using Load = cub::WarpLoad<int, 2, cub::WARP_LOAD_TRANSPOSE>;
    using Store = cub::WarpStore<int, 2, cub::WARP_STORE_TRANSPOSE>;
    using Sort = cub::WarpMergeSort<int, 2>;
    using Exchange = cub::WarpExchange<int, 2>;
    __shared__ union {
        Load::TempStorage load;
        Store::TempStorage store;
        Sort::TempStorage sort;
        Exchange::TempStorage exchange;
    } storage[WARPS / 2];
    int warp = threadIdx.x / 32, mine[2];
    Load(storage[warp].load).Load(in + warp * 64, mine);
    __syncwarp();
    Sort(storage[warp].sort).Sort(mine, Less());
    __syncwarp();
    Exchange(storage[warp].exchange).BlockedToStriped(mine, mine);
    __syncwarp();
    Exchange(storage[warp].exchange).StripedToBlocked(mine, mine);
    __syncwarp();
    Store(storage[warp].store).Store(out + warp * 64, mine);
}

int *in, *a, *b, *c;

template <int LANES>
void try_it(int groups) {
    reduce<LANES><<<1, groups * LANES>>>(in, a, b, c);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int g = 0; g < groups; g++) {
        int sum = 0, most = -1, head = 0;
        for (int i = 0; i < LANES; i++) {
            int x = in[g * LANES + i];
            sum += x;
            most = x > most ? x : most;
            head += i < 4 ? x : 0;
        }
        wrong += (a[g] != sum) + (b[g] != most) + (c[g] != head);
    }
    printf("reduce %d: %d wrong\n", LANES, wrong);
}

template <int LANES>
void try_scan() {
    scan<LANES><<<1, THREADS>>>(in, a, b);
    cudaDeviceSynchronize();
    int wrong = 0, sum = 0;
    for (int i = 0; i < THREADS; i++) {
        if (i % LANES == 0) sum = 0;
        wrong += b[i] != sum;
        sum += in[i];
        wrong += a[i] != sum;
    }
    printf("scan %d: %d wrong\n", LANES, wrong);
}

int main() {
    for (int **p : {&in, &a, &b, &c}) cudaMallocManaged(p, THREADS * sizeof(int));
    for (int i = 0; i < THREADS; i++) in[i] = i * 37 % 101;
    try_it<32>(4);
    try_it<16>(8);
    // A number of lanes that is no power of two goes by shared memory, one group a warp.
    try_it<12>(1);
    try_scan<32>();
    try_scan<8>();
    sort<<<1, THREADS / 2>>>(in, a);
    cudaDeviceSynchronize();
    int wrong = 0;
    for (int i = 1; i < THREADS; i++) wrong += i % 64 && a[i - 1] > a[i];
    printf("sort: %d wrong, %d to %d\n", wrong, a[0], a[63]);
    for (int *p : {in, a, b, c}) cudaFree(p);
}
