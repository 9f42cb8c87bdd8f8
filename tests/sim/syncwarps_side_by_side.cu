// Two halves of a warp meet for themselves, each in two branches: that one is complete does not let go
// the other, whose late lanes still run.
// launch: grid 1 block 32
// arg slow: i32 = 200
// out y: i32 32
// expect y[i] = i + 8 < 16 || (i >= 16 && i < 24) ? i + 8 : i - 8
extern "C" __global__ void halves(int slow, int *y) {
    __shared__ int s[32];
    int l = threadIdx.x, late = l;
    s[l] = -1;
    __syncwarp();
    if (l < 16) {
        if (l >= 8) {
            for (int i = 0; i < slow; i++) {
                late = late * 1664525 + 1013904223;
            }
            s[l] = l + (late == 5);
            __syncwarp(0x0000ffff);
            y[l] = s[l - 8];
        } else {
            s[l] = l;
            __syncwarp(0x0000ffff);
            y[l] = s[l + 8];
        }
    } else if (l >= 24) {
        s[l] = l;
        __syncwarp(0xffff0000);
        y[l] = s[l - 8];
    } else {
        for (int i = 0; i < slow / 8; i++) {
            late = late * 1664525 + 1013904223;
        }
        s[l] = l + (late == 5);
        __syncwarp(0xffff0000);
        y[l] = s[l + 8];
    }
}
