// A file is opened at its end, where its size can be asked for.
#include <cstdio>
#include <fstream>
#include <vector>

__global__ void twice(int *p, int n) {
    if (threadIdx.x < n) p[threadIdx.x] *= 2;
}

int main() {
    {
        std::ofstream out("numbers.bin", std::ios::binary);
        for (int i = 0; i < 10; i++) out.write((char *)&i, sizeof i);
    }
    std::ifstream in("numbers.bin", std::ios::binary | std::ios::ate);
    std::streamsize bytes = in.tellg();
    in.seekg(0);
    std::vector<int> v(bytes / sizeof(int));
    in.read((char *)v.data(), bytes);
    int *d;
    if (cudaMalloc(&d, bytes) != cudaSuccess) return 1;
    if (cudaMemcpy(d, v.data(), bytes, cudaMemcpyHostToDevice) != cudaSuccess) return 2;
    twice<<<1, 32>>>(d, v.size());
    if (cudaMemcpy(v.data(), d, bytes, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
    printf("%ld bytes, last %d\n", (long)bytes, v.back());
    std::fstream both("numbers.bin", std::ios::in | std::ios::out | std::ios::ate | std::ios::binary);
    both.write((char *)v.data(), bytes);
    printf("%ld bytes\n", (long)both.tellp());
    return cudaFree(d) != cudaSuccess;
}
