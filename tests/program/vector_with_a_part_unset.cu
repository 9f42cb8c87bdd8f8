// A kernel may store a vector of which it sets only some parts, and shift flags into a word that nobody filled, as long
// as nothing depends on the rest.
#include <cstdio>

__global__ void store(float4 *points, unsigned *history, const int *bits) {
    int t = threadIdx.x;
    float4 point;
    point.x = t;
    point.y = 2 * t;
    points[t] = point;
    unsigned past = history[t];
    for (int i = 0; i < 40; i++) past = past << 1 | bits[i];
    history[t] = past;
}

int main() {
    float4 *points, kept[32];
    unsigned *history, words[32];
    int *bits, some[40];
    for (int i = 0; i < 40; i++) some[i] = i % 3 == 0;
    cudaMalloc(&points, sizeof kept);
    cudaMalloc(&history, sizeof words);
    cudaMalloc(&bits, sizeof some);
    cudaMemcpy(bits, some, sizeof some, cudaMemcpyHostToDevice);
    store<<<1, 32>>>(points, history, bits);
    cudaMemcpy(kept, points, sizeof kept, cudaMemcpyDeviceToHost);
    cudaMemcpy(words, history, sizeof words, cudaMemcpyDeviceToHost);
    printf("%g %g %x\n", kept[3].x, kept[3].y, words[5]);
    cudaFree(points);
    cudaFree(history);
    cudaFree(bits);
}
