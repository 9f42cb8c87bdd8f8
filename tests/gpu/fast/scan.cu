// scan_fours: the lesson's scan (scan-array), which is included before it, with other tiles.
//
// in, out: n ints, n a multiple of FOURS_TILE. Launched after `clear`, with a block of THREADS threads for each
// FOURS_TILE elements; notes and ticket as there.
//
// A lane reads and writes four neighbours at a time, so a warp scan serves 128 elements in place of 32. A tile has twice
// as many elements, and none of them is kept in a cache for longer than it takes to come or go.

#define FOURS_EACH 32 // elements of a thread: fours, 128 apart
#define FOURS_TILE (THREADS * FOURS_EACH)

extern "C" __global__ __launch_bounds__(THREADS, 1) void
scan_fours(const int *in, int *out, Note *notes, int *ticket, int n) {
    __shared__ int s_tile, s_before, s_warp[WARPS];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32;
    if (t == 0) {
        s_tile = atomicAdd(ticket, 1);
    }
    __syncthreads();
    const int tile = s_tile, first = tile * FOURS_TILE + warp * 32 * FOURS_EACH + 4 * lane;
    int4 x[FOURS_EACH / 4];
#pragma unroll
    for (int k = 0; k < FOURS_EACH / 4; k++) {
        int i = first + 128 * k;
        x[k] = i + 3 < n ? __ldcs((const int4 *)(in + i)) : make_int4(0, 0, 0, 0);
    }

    // Each four by themselves, then on top of the lanes before, and of the 128 before.
    int sum = 0;
#pragma unroll
    for (int k = 0; k < FOURS_EACH / 4; k++) {
        x[k].y += x[k].x;
        x[k].z += x[k].y;
        x[k].w += x[k].z;
        int up_to = warp_scan(x[k].w, lane), add = up_to - x[k].w + sum;
        sum += __shfl_sync(ALL_LANES, up_to, 31);
        x[k].x += add;
        x[k].y += add;
        x[k].z += add;
        x[k].w += add;
    }
    if (lane == 0) {
        s_warp[warp] = sum;
    }
    __syncthreads();

    if (warp == 0) {
        int own = lane < WARPS ? s_warp[lane] : 0;
        int up_to = warp_scan(own, lane), total = __shfl_sync(ALL_LANES, up_to, 31);
        if (lane < WARPS) {
            s_warp[lane] = up_to - own;
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

    const int add = s_before + s_warp[warp];
#pragma unroll
    for (int k = 0; k < FOURS_EACH / 4; k++) {
        int i = first + 128 * k;
        if (i + 3 < n) {
            __stcs((int4 *)(out + i), make_int4(x[k].x + add, x[k].y + add, x[k].z + add, x[k].w + add));
        }
    }
}
