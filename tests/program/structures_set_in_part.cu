// What has no value is moved, and computed along with what has one: padding, members, bits, the rest of a union and of
// a vector. The host uses what was set alone.
#include <algorithm>
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

struct Flags {
    unsigned is_set : 1, kind : 3, spare : 12;
    short rest;
};
union Value {
    int whole;
    unsigned char bytes[8];
};
struct Item {
    char kind;
    double weight;
    float3 at;
    Value value;
    Flags flags;
    int unused;
};

__global__ void make(Item *items, float4 *points) {
    int i = threadIdx.x;
    Item item;
    item.kind = 'a' + i % 3;
    item.weight = i * 0.5;
    item.at = make_float3(i, i + 1, i + 2);
    item.value.whole = i * i;
    item.flags.is_set = i % 2;
    item.flags.kind = i % 7;
    items[i] = item;
    __shared__ float4 point[32];
    point[i].x = point[i].y = point[i].z = i;
    float4 its = point[i];
    points[i] = make_float4(its.x * 2, its.y * 2, its.z * 2, its.w * 2);
}

__global__ void pass_on(const Item *from, Item *to, float4 *points) {
    int i = threadIdx.x;
    to[i] = from[i];
    float4 point = points[i];
    point.x += 1;
    points[i] = point;
}

int main() {
    const int n = 32;
    Item *items, *others;
    float4 *points, host[n];
    std::vector<Item> back(n);
    cudaMalloc(&items, n * sizeof(Item));
    cudaMalloc(&others, n * sizeof(Item));
    cudaMalloc(&points, sizeof host);
    make<<<1, n>>>(items, points);
    pass_on<<<1, n>>>(items, others, points);
    cudaMemcpy(back.data(), others, n * sizeof(Item), cudaMemcpyDeviceToHost);
    cudaMemcpy(host, points, sizeof host, cudaMemcpyDeviceToHost);
    std::sort(back.begin(), back.end(), [](const Item &a, const Item &b) { return a.weight > b.weight; });
    std::vector<Item> copied = back;
    const Item &its = copied[4];
    printf("%c %g %g %g %d %u %u\n", its.kind, its.weight, its.at.x, its.at.z, its.value.whole, its.flags.is_set,
           its.flags.kind);
    float sum = 0;
    for (const float4 &point : host) sum += point.x + point.y + point.z;
    printf("%g\n", sum);
    cudaFree(items);
    cudaFree(others);
    cudaFree(points);
}
