// scan: out[i] = in[0] + in[1] + … + in[i], in one launch for the whole array.
//
// Launched one after the other:
//   1. clear   one thread for each tile
//   2. scan    one block of THREADS threads for each tile of TILE elements
//
// in, out: n ints. notes: one for each tile. ticket: one int.

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 16 // elements of a thread
#define TILE (THREADS * EACH)
#define ALL_LANES 0xffffffffu

// What a tile has published: the kind of note in the upper 32 bits, a sum
// in the lower. Both are written at once, so nobody sees one without the other.
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

// The sum of all elements before a tile, found by one warp: 32 notes at a time,
// from the nearest back, until one of them says ALL.
__device__ int look_back(const Note *notes, int tile, int lane) {
    int sum = 0;
    for (int nearest = tile - 1;; nearest -= 32) {
        int i = nearest - lane;
        Note note;
        // All tiles before this one have a block that has begun, so each will
        // leave a note some time. Before the first there is nothing to add.
        do {
            note = i >= 0 ? look(notes + i) : (Note)ALL << 32;
        } while (__any_sync(ALL_LANES, note >> 32 == NOTHING));

        // Add up to the first lane with ALL, which includes all before it.
        unsigned all = __ballot_sync(ALL_LANES, note >> 32 == ALL);
        int last = all != 0 ? __ffs(all) - 1 : 31;
        int part = lane <= last ? (int)note : 0;
        for (int d = 16; d > 0; d /= 2) {
            part += __shfl_xor_sync(ALL_LANES, part, d);
        }
        sum += part;
        if (all != 0) {
            return sum;
        }
    }
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

extern "C" __global__ void scan(const int *in, int *out, Note *notes, int *ticket, int n) {
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

    // A warp has 16 times 32 neighbours. All loads are under way before the
    // first value is used.
    int first = tile * TILE + warp * 32 * EACH + lane;
    int x[EACH];
    for (int k = 0; k < EACH; k++) {
        int i = first + 32 * k;
        x[k] = i < n ? in[i] : 0;
    }

    // Each 32 by themselves, then on top of the 32 before.
    int sum = 0;
    for (int k = 0; k < EACH; k++) {
        x[k] = warp_scan(x[k], lane) + sum;
        sum = __shfl_sync(ALL_LANES, x[k], 31);
    }
    if (lane == 0) {
        s_warp[warp] = sum;
    }
    __syncthreads();

    // The first warp scans the warps' sums, tells the tile's own sum as soon as
    // it is known, looks back, and tells what the tiles after this one need.
    if (warp == 0) {
        int own = lane < WARPS ? s_warp[lane] : 0;
        int up_to = warp_scan(own, lane);
        int total = __shfl_sync(ALL_LANES, up_to, 31);
        if (lane < WARPS) {
            s_warp[lane] = up_to - own; // the warps before
        }
        if (lane == 0) {
            tell(notes + tile, OWN, total);
        }
        int before = look_back(notes, tile, lane);
        if (lane == 0) {
            tell(notes + tile, ALL, before + total);
            s_before = before;
        }
    }
    __syncthreads();

    int add = s_before + s_warp[warp];
    for (int k = 0; k < EACH; k++) {
        int i = first + 32 * k;
        if (i < n) {
            out[i] = x[k] + add;
        }
    }
}
