// movmatrix transposes in registers; stmatrix writes what ldmatrix reads.
// launch: grid 1 block 32
// arch: 90
// out y: u16 192
// expect y[i] = i < 64 ? i % 8 * 8 + i / 8 : i < 128 ? i - 64 : (i - 128) % 8 * 8 + (i - 128) / 8
extern "C" __global__ void moves(unsigned short *y) {
    __shared__ __align__(16) unsigned short tile[64];
    int t = threadIdx.x;
    unsigned held = (2 * t) | (2 * t + 1) << 16, turned;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(turned) : "r"(held));
    y[2 * t] = turned & 0xffff;
    y[2 * t + 1] = turned >> 16;
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[t % 8 * 8]);
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(held) : "memory");
    __syncwarp();
    y[64 + t] = tile[t];
    y[96 + t] = tile[32 + t];
    __syncwarp();
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(held) : "memory");
    __syncwarp();
    y[128 + t] = tile[t];
    y[160 + t] = tile[32 + t];
}
