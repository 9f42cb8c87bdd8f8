// brx.idx by inline PTX: each lane jumps to its own label.
// launch: grid 1 block 32
// out y: i32 32
// expect y[i] = i % 3 == 0 ? 100 : i % 3 == 1 ? 200 : 300
extern "C" __global__ void jump(int *y) {
    int i = threadIdx.x, value;
    asm volatile("{\n"
                 "  targets: .branchtargets first, second, third;\n"
                 "  brx.idx %1, targets;\n"
                 "first: mov.s32 %0, 100; bra.uni done;\n"
                 "second: mov.s32 %0, 200; bra.uni done;\n"
                 "third: mov.s32 %0, 300;\n"
                 "done:\n"
                 "}"
                 : "=r"(value)
                 : "r"(i % 3));
    y[i] = value;
}
