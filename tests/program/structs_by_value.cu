// Structures as kernel arguments and results, with alignment and arrays inside.
#include <cstdio>

struct Particle { float3 position; float3 velocity; float mass; };
struct Settings { double dt; int steps; char tag; short bounds[3]; };
struct __align__(16) Wide { float4 a; int b; };

__host__ __device__ inline float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
__host__ __device__ inline float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }

__global__ void move(Particle *p, int n, Settings s) {
    int i = threadIdx.x;
    if (i >= n) return;
    Particle mine = p[i];
    for (int step = 0; step < s.steps; step++) {
        mine.position = mine.position + (float)s.dt * mine.velocity;
        if (mine.position.x > s.bounds[0]) mine.velocity.x = -mine.velocity.x;
        if (mine.position.y > s.bounds[1]) mine.velocity.y = -mine.velocity.y;
    }
    p[i] = mine;
    if (i == 0) printf("tag %c, bound %d, sizes %d %d %d\n", s.tag, s.bounds[2], (int)sizeof(Particle), (int)sizeof(Settings), (int)sizeof(Wide));
}

__global__ void widen(Wide w, Wide *out) { *out = Wide{make_float4(w.a.w, w.a.z, w.a.y, w.a.x), w.b * 2}; }

int main() {
    const int n = 4;
    Particle h[n];
    for (int i = 0; i < n; i++) h[i] = {make_float3(i, 0, 0), make_float3(1, 0.5f * i, 2), 1.0f + i};
    Particle *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    Settings s = {0.5, 10, 'q', {5, 100, 7}};
    move<<<1, 32>>>(d, n, s);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    for (const Particle &p : h) printf("%.2f %.2f %.2f  %.1f\n", p.position.x, p.position.y, p.position.z, p.mass);
    Wide *w, out;
    cudaMalloc(&w, sizeof *w);
    widen<<<1, 1>>>(Wide{make_float4(1, 2, 3, 4), 21}, w);
    cudaMemcpy(&out, w, sizeof out, cudaMemcpyDeviceToHost);
    printf("%g %g %g %g %d\n", out.a.x, out.a.y, out.a.z, out.a.w, out.b);
    cudaFree(d);
    cudaFree(w);
}
