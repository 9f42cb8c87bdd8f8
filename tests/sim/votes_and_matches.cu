// Votes, matches and the active mask in a divergent warp.
// launch: grid 1 block 32
// in a: i32 32 = i % 5
// out y: u32 224
// expect y[i] = i % 7 == 0 ? (i/7 < 20 ? u32((1 << 20) - 1) : 0) : i % 7 == 1 ? sum(k, 0, 32, (a[k] < 2) << k) : i % 7 == 2 ? 1 : i % 7 == 3 ? 0 : i % 7 == 4 ? sum(k, 0, 32, (a[k] == a[i/7]) << k) : i % 7 == 5 ? 4294967295 : (i/7 < 20 ? sum(k, 0, 20, (k % 3 == 0) << k) : 0)
extern "C" __global__ void vote(const int *a, unsigned *y) {
    int i = threadIdx.x;
    unsigned *out = y + 7 * i;
    out[0] = 0;
    out[6] = 0;
    if (i < 20) {
        out[0] = __activemask();
        out[6] = __ballot_sync(0xfffffu, i % 3 == 0);
    }
    __syncwarp();
    int all_equal;
    out[1] = __ballot_sync(~0u, a[i] < 2);
    out[2] = __any_sync(~0u, a[i] == 4);
    out[3] = __all_sync(~0u, a[i] < 4);
    out[4] = __match_any_sync(~0u, a[i]);
    out[5] = __match_all_sync(~0u, 77LL, &all_equal);
    if (!all_equal) {
        out[5] = 0;
    }
}
