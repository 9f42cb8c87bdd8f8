// red (an atomic whose old value nobody wants) by inline PTX, and system scope.
// launch: grid 1 block 64
// inout y: u32 3 = 0
// inout f: f32 1 = 0
// expect y = 2016 63 64
// expect f = 64
extern "C" __global__ void reds(unsigned *y, float *f) {
    unsigned i = threadIdx.x;
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&y[0]), "r"(i) : "memory");
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], %1;" ::"l"(&y[1]), "r"(i) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(f), "f"(1.0f) : "memory");
    atomicAdd_system(&y[2], 1u);
}
