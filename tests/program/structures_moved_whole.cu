// Structures with padding and members that nobody set are moved whole, by the host and by copies.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

struct Item {
    char kind;
    double weight;
    int id, spare;
};

__global__ void heavier(Item *items, int n) {
    int i = threadIdx.x;
    if (i < n) items[i].weight += 1;
}

static Item make(int i) {
    Item item;
    item.kind = 'a' + i % 3;
    item.weight = i * 0.5;
    item.id = i;
    return item;
}

int main() {
    const int n = 32;
    Item *items = new Item[n], *device;
    std::vector<Item> sorted;
    for (int i = 0; i < n; i++) items[i] = make(n - i);
    cudaMalloc(&device, n * sizeof(Item));
    cudaMemcpy(device, items, n * sizeof(Item), cudaMemcpyHostToDevice);
    heavier<<<1, n>>>(device, n);
    cudaMemcpy(items, device, n * sizeof(Item), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) sorted.push_back(items[i]);
    std::sort(sorted.begin(), sorted.end(), [](const Item &a, const Item &b) { return a.id < b.id; });
    Item other;
    memcpy(&other, &sorted[0], sizeof other);
    std::swap(other, sorted[5]);
    printf("%c %g %d %d\n", other.kind, other.weight, other.id, sorted[5].id);
    cudaFree(device);
    delete[] items;
}
