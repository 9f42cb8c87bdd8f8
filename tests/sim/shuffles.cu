// All four shuffles, whole and in segments of eight, with the clamped lanes keeping their own.
// launch: grid 1 block 64
// in a: i32 64 = i * i
// out y: i32 448
// expect y[i] = i % 7 == 0 ? a[i/7/32*32 + 5] : i % 7 == 1 ? (i/7%32 + 3 < 32 ? a[i/7 + 3] : a[i/7]) : i % 7 == 2 ? (i/7%32 >= 2 ? a[i/7 - 2] : a[i/7]) : i % 7 == 3 ? a[i/7 ^ 9] : i % 7 == 4 ? (i/7%8 + 1 < 8 ? a[i/7 + 1] : a[i/7]) : i % 7 == 5 ? a[i/7/8*8 + 6] : a[i/7/32*32 + (i/7%32 * 7 + 1) % 32]
extern "C" __global__ void shuffle(const int *a, int *y) {
    int i = threadIdx.x, value = a[i];
    int *out = y + 7 * i;
    out[0] = __shfl_sync(~0u, value, 5);
    out[1] = __shfl_down_sync(~0u, value, 3);
    out[2] = __shfl_up_sync(~0u, value, 2);
    out[3] = __shfl_xor_sync(~0u, value, 9);
    out[4] = __shfl_down_sync(~0u, value, 1, 8);
    out[5] = __shfl_sync(~0u, value, 14, 8);
    out[6] = __shfl_sync(~0u, value, i * 7 + 1);
}
