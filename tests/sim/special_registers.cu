// Special registers: lane masks, extents of the machine and of shared memory.
// launch: grid 2 block 64 shared 512
// out y: u32 896
// expect y[i] = i % 7 == 0 ? u32((1 << (i / 7 % 32)) - 1) : i % 7 == 1 ? 1 << (i / 7 % 32) : i % 7 == 2 ? u32(~((1 << (i / 7 % 32)) - 1)) : i % 7 == 3 ? 512 : i % 7 == 4 ? i / 7 / 64 * 100 + 2 : i % 7 == 5 ? 1 : u32(~((2 << (i / 7 % 32)) - 1))
extern "C" __global__ void registers(unsigned *y) {
    unsigned *out = y + 7 * (blockIdx.x * blockDim.x + threadIdx.x), below, own, from, dynamic, sm, sms, above;
    asm("mov.u32 %0, %lanemask_lt;" : "=r"(below));
    asm("mov.u32 %0, %lanemask_eq;" : "=r"(own));
    asm("mov.u32 %0, %lanemask_ge;" : "=r"(from));
    asm("mov.u32 %0, %lanemask_gt;" : "=r"(above));
    asm("mov.u32 %0, %dynamic_smem_size;" : "=r"(dynamic));
    asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
    asm volatile("mov.u32 %0, %nsmid;" : "=r"(sms));
    out[0] = below;
    out[1] = own;
    out[2] = from;
    out[3] = dynamic;
    out[4] = blockIdx.x * 100 + gridDim.x;
    out[5] = sm < sms;
    out[6] = above;
}
