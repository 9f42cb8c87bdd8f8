// What else blocks do together: exchange, shuffle, flags and differences of neighbours, histograms, runs.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cstdio>

const int THREADS = 64, EACH = 2, N = THREADS * EACH, BINS = 8;

struct Minus {
    __device__ int operator()(int a, int b) const { return a - b; }
};

__global__ void move(const int *in, int *striped, int *above, int *heads, int *steps) {
    using Exchange = cub::BlockExchange<int, THREADS, EACH>;
    using Shuffle = cub::BlockShuffle<int, THREADS>;
    using Flags = cub::BlockDiscontinuity<int, THREADS>;
    using Steps = cub::BlockAdjacentDifference<int, THREADS>;
    __shared__ union {
        Exchange::TempStorage exchange;
        Shuffle::TempStorage shuffle;
        Flags::TempStorage flags;
        Steps::TempStorage steps;
    } storage;
    int t = threadIdx.x, mine[EACH] = {in[EACH * t], in[EACH * t + 1]}, moved[EACH], step[EACH], head[EACH];
    Exchange(storage.exchange).BlockedToStriped(mine, moved);
    for (int i = 0; i < EACH; i++) striped[i * THREADS + t] = moved[i];
    __syncthreads();
    int up = -1;
    Shuffle(storage.shuffle).Rotate(mine[0], up, 3);
    above[t] = up;
    __syncthreads();
    Flags(storage.flags).FlagHeads(head, mine, cub::Inequality());
    __syncthreads();
    Steps(storage.steps).SubtractLeft(mine, step, Minus());
    for (int i = 0; i < EACH; i++) {
        heads[EACH * t + i] = head[i];
        steps[EACH * t + i] = step[i];
    }
}

template <cub::BlockHistogramAlgorithm ALGORITHM>
__global__ void histogram(const int *in, unsigned *out) {
    using Histogram = cub::BlockHistogram<unsigned char, THREADS, EACH, BINS, ALGORITHM>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned bins[BINS];
    unsigned char mine[EACH];
    for (int i = 0; i < EACH; i++) mine[i] = in[EACH * threadIdx.x + i];
    Histogram(storage).Histogram(mine, bins);
    __syncthreads();
    if (threadIdx.x < BINS) out[threadIdx.x] = bins[threadIdx.x];
}

__global__ void decode(int *out, int *total) {
    using Decode = cub::BlockRunLengthDecode<int, 32, 1, 4>;
    __shared__ Decode::TempStorage storage;
    int value[1] = {int(threadIdx.x)}, length[1] = {int(threadIdx.x) % 4 + 1}, all, some[4];
    Decode runs(storage, value, length, all);
    for (int from = 0; from < all; from += 128) {
        runs.RunLengthDecode(some, from);
        for (int i = 0; i < 4; i++) {
            int at = from + threadIdx.x * 4 + i;
            if (at < all) out[at] = some[i];
        }
    }
    if (threadIdx.x == 0) *total = all;
}

int main() {
    int *in, *striped, *above, *heads, *steps, *runs;
    unsigned *bins;
    for (int **p : {&in, &striped, &above, &heads, &steps, &runs}) cudaMallocManaged(p, (N + 1) * sizeof(int));
    cudaMallocManaged(&bins, 2 * BINS * sizeof(unsigned));
    for (int i = 0; i < N; i++) in[i] = i / 3 * 5 % BINS;
    move<<<1, THREADS>>>(in, striped, above, heads, steps);
    histogram<cub::BLOCK_HISTO_SORT><<<1, THREADS>>>(in, bins);
    histogram<cub::BLOCK_HISTO_ATOMIC><<<1, THREADS>>>(in, bins + BINS);
    decode<<<1, 32>>>(runs, runs + N);
    cudaDeviceSynchronize();
    int wrong[4] = {}, at = 0;
    for (int i = 0; i < N; i++) {
        wrong[0] += striped[i] != in[i];
        wrong[1] += i % EACH == 0 && above[i / EACH] != in[(i + 3 * EACH) % N];
        wrong[2] += heads[i] != (i == 0 || in[i] != in[i - 1]);
        wrong[3] += steps[i] != (i == 0 ? in[0] : in[i] - in[i - 1]);
    }
    printf("%d %d %d %d wrong\n", wrong[0], wrong[1], wrong[2], wrong[3]);
    for (int i = 0; i < 2 * BINS; i++) printf("%u%c", bins[i], i % BINS == BINS - 1 ? '\n' : ' ');
    int bad = 0;
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < i % 4 + 1; k++) bad += runs[at++] != i;
    printf("%d of %d runs' elements wrong, %d expected\n", bad, runs[N], at);
    for (int *p : {in, striped, above, heads, steps, runs}) cudaFree(p);
    cudaFree(bins);
}
