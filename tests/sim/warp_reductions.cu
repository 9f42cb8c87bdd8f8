// redux over a whole warp and over its odd lanes.
// arch: 80
// launch: grid 1 block 32
// in a: i32 32 = (i * 29 % 32) - 7
// out y: i32 192
// expect y[i] = i % 6 == 0 ? sum(k, 0, 32, a[k]) : i % 6 == 1 ? -7 : i % 6 == 2 ? 24 : i % 6 == 3 ? 0 : i % 6 == 4 ? -1 : (i/6 % 2 == 1 ? sum(k, 0, 16, a[2*k + 1]) : 0)
extern "C" __global__ void reduce(const int *a, int *y) {
    int i = threadIdx.x;
    int *out = y + 6 * i;
    out[0] = __reduce_add_sync(~0u, a[i]);
    out[1] = __reduce_min_sync(~0u, a[i]);
    out[2] = __reduce_max_sync(~0u, a[i]);
    out[3] = (int)__reduce_and_sync(~0u, (unsigned)a[i]);
    out[4] = (int)__reduce_or_sync(~0u, (unsigned)a[i]);
    out[5] = 0;
    if (i % 2 == 1) {
        out[5] = __reduce_add_sync(0xaaaaaaaau, a[i]);
    }
}
