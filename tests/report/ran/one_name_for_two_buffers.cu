#include <cstdio>

template <class T> struct Buffer {
    T *ptr;
    Buffer(size_t n) {
        T *p = nullptr;
        cudaMallocManaged(&p, n * sizeof(T));
        ptr = p;
    }
    ~Buffer() { cudaFree(ptr); }
    T &operator[](size_t i) { return ptr[i]; }
};

__global__ void visit(int *level, int *visited) {
    level[threadIdx.x] = 1;
    visited[0] = 1;
}

int main() {
    Buffer<int> levels(4), found(1);
    visit<<<1, 4>>>(levels.ptr, found.ptr);
    printf("%d\n", found[0]);
    printf("%d\n", levels[1]);
}
