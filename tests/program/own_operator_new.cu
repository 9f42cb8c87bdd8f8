// A program with operators new and delete of its own.
#include <cstdio>
#include <cstdlib>

static int made;
void *operator new(size_t bytes) {
    made++;
    return malloc(bytes);
}
void *operator new[](size_t bytes) {
    made++;
    return malloc(bytes);
}
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
void operator delete[](void *p) noexcept { free(p); }

__global__ void square(int *x) { *x *= *x; }

int main() {
    int *h_x = new int(4), *several = new int[3](), *d_x;
    cudaMalloc(&d_x, sizeof(int));
    cudaMemcpy(d_x, h_x, sizeof(int), cudaMemcpyHostToDevice);
    square<<<1, 1>>>(d_x);
    cudaMemcpy(h_x, d_x, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", *h_x, several[2], made);
    cudaFree(d_x);
    delete h_x;
    delete[] several;
}
