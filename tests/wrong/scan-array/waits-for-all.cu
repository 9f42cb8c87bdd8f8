// Tells OWN, but nobody looks at it: each tile waits for ALL of the one before.
// scan: out[i] = in[0] + in[1] + … + in[i], in one launch for the whole array.
//
// Launched one after the other:
//   1. clear   one thread for each tile
//   2. scan    one block of THREADS threads for each tile of TILE elements
//
// in, out: n ints. notes: one for each tile. ticket: one int.
//
// This kernel is right, but each tile waits for the one before, one after the
// other through the whole array.

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 16 // elements of a thread
#define TILE (THREADS * EACH)
#define ALL_LANES 0xffffffffu

// What a tile tells the others: the kind of note in the upper 32 bits, a sum in
// the lower: (int)note. Both are written at once, so nobody sees one without
// the other.
typedef unsigned long long Note;
#define NOTHING 0 // not yet
#define OWN 1     // the sum of the tile's own elements
#define ALL 2     // the sum of all elements up to the end of the tile

__device__ void tell(Note *note, Note kind, int sum) {
    atomicExch(note, kind << 32 | (unsigned)sum);
}

// volatile: look at memory each time, not at what was there the last time.
__device__ Note look(const Note *note) {
    return *(const volatile Note *)note;
}

// The sum of the values of this lane and of all lanes before it.
__device__ int warp_scan(int value, int lane) {
    for (int back = 1; back < 32; back *= 2) {
        int before = __shfl_up_sync(ALL_LANES, value, back);
        value += lane >= back ? before : 0;
    }
    return value;
}

extern "C" __global__ void clear(Note *notes, int *ticket, int tiles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < tiles) {
        notes[i] = (Note)NOTHING << 32;
    }
    if (i == 0) {
        *ticket = 0;
    }
}

extern "C" __global__ void scan(const int *in, int *out, Note *notes, int *ticket, int n) { //~ too-slow: share_of_copy_bandwidth
    __shared__ int s_tile, s_before, s_warp[WARPS];
    int t = threadIdx.x;
    int warp = t / 32, lane = t % 32;

    // Tiles are given out in the order in which blocks begin: then no block
    // waits for one that has not begun, and might never get room to begin.
    if (t == 0) {
        s_tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    int tile = s_tile;

    // The tile by itself: a warp has 16 times 32 neighbours. Each 32 are scanned,
    // and continue from the 32 before.
    int first = tile * TILE + warp * 32 * EACH + lane;
    int x[EACH];
    int sum = 0;
    for (int k = 0; k < EACH; k++) {
        int i = first + 32 * k;
        x[k] = warp_scan(i < n ? in[i] : 0, lane) + sum;
        sum = __shfl_sync(ALL_LANES, x[k], 31);
    }
    if (lane == 0) {
        s_warp[warp] = sum;
    }
    __syncthreads();
    int warps_before = 0, total = 0; // of the tile: the warps before, all warps
    for (int w = 0; w < WARPS; w++) {
        warps_before += w < warp ? s_warp[w] : 0;
        total += s_warp[w];
    }

    // The tile before tells the sum of all before this one, and the next tile is told
    // the same as soon as it is known.
    if (t == 0) {
        tell(notes + tile, OWN, total);
        int before = 0;
        if (tile > 0) {
            Note note;
            do {
                note = look(notes + tile - 1);
            } while (note >> 32 != ALL);
            before = (int)note;
        }
        tell(notes + tile, ALL, before + total);
        s_before = before;
    }
    __syncthreads();

    for (int k = 0; k < EACH; k++) {
        int i = first + 32 * k;
        if (i < n) {
            out[i] = s_before + warps_before + x[k];
        }
    }
}
