// scan: out[i] = in[0] + in[1] + … + in[i], in one launch for the whole array.
//
// Launched one after the other:
//   1. clear   one thread for each tile
//   2. scan    one block of THREADS threads for each tile of TILE elements
//
// in, out: n ints. notes: one for each tile. ticket: one int. Use these two as
// you like: nobody else looks at them.
//
// This kernel is right, but each block adds up everything before its tile.

#define THREADS 256
#define EACH 16 // elements of a thread
#define TILE (THREADS * EACH)

typedef unsigned long long Note;

extern "C" __global__ void clear(Note *notes, int *ticket, int tiles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tiles) {
        notes[i] = 0;
    }
    if (i == 0) {
        *ticket = 0;
    }
}

extern "C" __global__ void scan(const int *in, int *out, Note *notes, int *ticket, int n) {
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    int tile = blockIdx.x;

    // The sum of all elements before the tile.
    int sum = 0;
    for (int i = t; i < tile * TILE; i += THREADS) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (t < half) {
            s[t] += s[t + half];
        }
        __syncthreads();
    }
    int before = s[0];
    __syncthreads();

    // The tile, 256 elements at a time, as in prefix-sum.
    for (int k = 0; k < EACH; k++) {
        int i = tile * TILE + k * THREADS + t;
        s[t] = i < n ? in[i] : 0;
        __syncthreads();
        for (int back = 1; back < THREADS; back *= 2) {
            int add = t >= back ? s[t - back] : 0;
            __syncthreads();
            s[t] += add;
            __syncthreads();
        }
        if (i < n) {
            out[i] = before + s[t];
        }
        before += s[THREADS - 1];
        __syncthreads();
    }
}
