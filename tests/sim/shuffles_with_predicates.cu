// The predicate of shfl by inline PTX: whether the source lane was within the segment.
// launch: grid 1 block 32
// out y: i32 64
// expect y[i] = i % 2 == 0 ? (i/2 % 16 >= 5 ? i/2 - 5 : i/2) : (i/2 % 16 >= 5)
extern "C" __global__ void shuffle(int *y) {
    int i = threadIdx.x, value, inside;
    asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 5, 0x1000, 0xffffffff; selp.s32 %1, 1, 0, p; }"
                 : "=r"(value), "=r"(inside) : "r"(i));
    y[2 * i] = value;
    y[2 * i + 1] = inside;
}
