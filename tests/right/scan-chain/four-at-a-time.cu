// A lane reads and writes four neighbours at once, as an int4.

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 16 // elements of a thread
#define TILE (THREADS * EACH)
#define ALL_LANES 0xffffffffu

// What a tile tells the next one: the kind of note in the upper 32 bits, a sum in
// the lower: (int)note. Both are written at once, so nobody sees one without
// the other.
typedef unsigned long long Note;
#define NOTHING 0 // not yet
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

    // The tile by itself: a warp has 4 times 128 neighbours. Each 128 are scanned,
    // and continue from the 128 before.
    int first = tile * TILE + warp * 32 * EACH + 4 * lane;
    int x[EACH];
    int sum = 0;
    for (int k = 0; k < EACH; k += 4) {
        int i = first + 32 * k;
        int4 v = make_int4(0, 0, 0, 0);
        if (i + 3 < n) {
            v = *(const int4 *)(in + i);
        } else {
            v.x = i < n ? in[i] : 0;
            v.y = i + 1 < n ? in[i + 1] : 0;
            v.z = i + 2 < n ? in[i + 2] : 0;
        }
        int own = v.x + v.y + v.z + v.w;
        int upto = warp_scan(own, lane);
        int before = sum + upto - own;
        x[k] = before + v.x;
        x[k + 1] = x[k] + v.y;
        x[k + 2] = x[k + 1] + v.z;
        x[k + 3] = x[k + 2] + v.w;
        sum += __shfl_sync(ALL_LANES, upto, 31);
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
        int before = 0;
        if (tile > 0) {
            Note note;
            do {
                note = look(notes + tile - 1);
            } while (note >> 32 == NOTHING);
            before = (int)note;
        }
        tell(notes + tile, ALL, before + total);
        s_before = before;
    }
    __syncthreads();

    int add = s_before + warps_before;
    for (int k = 0; k < EACH; k += 4) {
        int i = first + 32 * k;
        if (i + 3 < n) {
            *(int4 *)(out + i) =
                make_int4(x[k] + add, x[k + 1] + add, x[k + 2] + add, x[k + 3] + add);
        } else {
            for (int j = 0; j < 4 && i + j < n; j++) {
                out[i + j] = x[k + j] + add;
            }
        }
    }
}
