// What a card can do, each limit by the plainest kernel that reaches it.

extern "C" __global__ void copy(const float4 *in, float4 *out, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += 4 * stride) {
        float4 a[4];
#pragma unroll
        for (int k = 0; k < 4; k++) if (i + k * stride < n) a[k] = in[i + k * stride];
#pragma unroll
        for (int k = 0; k < 4; k++) if (i + k * stride < n) out[i + k * stride] = a[k];
    }
}

// The same with a thread for each element: which of the two is faster depends on the card.
extern "C" __global__ void copy_each(const float4 *in, float4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

// Eight chains of multiply-adds that do not wait for each other.
extern "C" __global__ void multiply_add(float *out, float x, int rounds) {
    float a[8];
    for (int k = 0; k < 8; k++) a[k] = threadIdx.x + k;
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 8; k++) a[k] = a[k] * x + 1.0f;
    float sum = 0;
    for (int k = 0; k < 8; k++) sum += a[k];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#if __CUDA_ARCH__ >= 800
// Four products of matrix units at once: m16n8k16, f16 inputs, f32 sums.
extern "C" __global__ void matrix(float *out, int seed, int rounds) {
    float c[4][4] = {};
    unsigned a[4], b[2];
    for (int k = 0; k < 4; k++) a[k] = 0x3c003c00u ^ (seed + threadIdx.x + k);
    for (int k = 0; k < 2; k++) b[k] = 0x3c003c00u ^ (seed * 3 + threadIdx.x + k);
    for (int r = 0; r < rounds; r++)
#pragma unroll
        for (int k = 0; k < 4; k++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                         "{%8,%9}, {%0,%1,%2,%3};"
                         : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3])
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
#endif

extern "C" __global__ void nothing() {}
