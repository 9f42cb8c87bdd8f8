// A search may find nothing, and the caller asks.
#include <stdio.h>
#include <string.h>

struct Gpu {
    char name[256];
    int multiprocessors;
};

Gpu *find(Gpu *gpus, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strstr(gpus[i].name, name)) return &gpus[i];
    return nullptr;
}

int main(void) {
    int n = 0;
    static Gpu gpus[8];
    if (cudaGetDeviceCount(&n) != cudaSuccess) return 1;
    for (int i = 0; i < n; i++) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) return 1;
        strcpy(gpus[i].name, properties.name);
        gpus[i].multiprocessors = properties.multiProcessorCount;
    }
    printf("%d device\n", n);
    Gpu *wanted = find(gpus, n, "Voodoo");
    if (wanted) printf("%d multiprocessors\n", wanted->multiprocessors);
    return 0;
}
