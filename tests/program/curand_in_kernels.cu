// Both generators in kernels: the words and numbers that NVIDIA's headers make, after jumps of every length.
#include <cstdio>
#include <curand_kernel.h>

template <class State>
__global__ void draw(double *out, unsigned long long offset) {
    State state;
    curand_init(0x123456789abcull, threadIdx.x * 31251ull, offset, &state);
    double *p = out + threadIdx.x * 16;
    p[0] = curand(&state);
    p[1] = curand_uniform(&state);
    p[2] = curand_normal(&state);
    p[3] = curand_uniform_double(&state);
    p[4] = curand_normal(&state); // the other one of p[2]'s pair
    p[5] = curand_normal_double(&state);
    p[6] = curand(&state);
    p[7] = curand_normal_double(&state);
    float2 pair = curand_normal2(&state);
    p[8] = pair.x;
    p[9] = pair.y;
    p[10] = curand_log_normal(&state, 1.0f, 0.5f);
    p[11] = curand_log_normal(&state, 1.0f, 0.5f);
    skipahead(5000000035ull, &state);
    p[12] = curand(&state);
    skipahead_sequence(3, &state);
    p[13] = curand(&state);
    p[14] = curand_normal2_double(&state).x;
    p[15] = curand_log_normal_double(&state, 0.1, 2.0);
}

__global__ void draw_fours(double *out, unsigned long long offset) {
    curandStatePhilox4_32_10_t state;
    curand_init(99, threadIdx.x, offset, &state);
    double *p = out + threadIdx.x * 16;
    uint4 words = curand4(&state);
    p[0] = words.x, p[1] = words.y, p[2] = words.z, p[3] = words.w;
    float4 u = curand_uniform4(&state);
    p[4] = u.x, p[5] = u.w;
    curand(&state);
    float4 n = curand_normal4(&state);
    p[6] = n.x, p[7] = n.y, p[8] = n.z, p[9] = n.w;
    double2 d = curand_uniform2_double(&state);
    p[10] = d.x, p[11] = d.y;
    float4 l = curand_log_normal4(&state, 0.0f, 1.0f);
    p[12] = l.x, p[13] = l.w;
    p[14] = curand4(&state).w;
    p[15] = curand_normal2_double(&state).y;
}

int main() {
    printf("%d %d\n", int(sizeof(curandState)), int(sizeof(curandStatePhilox4_32_10_t)));
    const int threads = 33;
    static double numbers[threads * 16];
    double *out;
    cudaMalloc(&out, sizeof numbers);
    for (int kind = 0; kind < 3; kind++)
        for (unsigned long long offset : {3ull, 123456789012ull}) {
            if (kind == 0) draw<curandState><<<1, threads>>>(out, offset);
            if (kind == 1) draw<curandStatePhilox4_32_10_t><<<1, threads>>>(out, offset);
            if (kind == 2) draw_fours<<<1, threads>>>(out, offset);
            cudaMemcpy(numbers, out, sizeof numbers, cudaMemcpyDeviceToHost);
            for (int thread : {0, 1, 32})
                for (int i = 0; i < 16; i++) printf("%.4f%c", numbers[thread * 16 + i], i < 15 ? ' ' : '\n');
        }
    cudaFree(out);
}
