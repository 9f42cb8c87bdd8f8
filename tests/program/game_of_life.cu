// Two buffers that change places, and a picture in characters.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

__global__ void step(const unsigned char *now, unsigned char *next, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) n += now[(y + dy + h) % h * w + (x + dx + w) % w];
    next[y * w + x] = n == 3 || (n == 2 && now[y * w + x]);
}

int main() {
    const int w = 16, h = 10;
    std::vector<unsigned char> cells(w * h, 0);
    for (auto [x, y] : {std::pair(1, 0), std::pair(2, 1), std::pair(0, 2), std::pair(1, 2), std::pair(2, 2)}) cells[y * w + x] = 1;
    unsigned char *now, *next;
    cudaMalloc(&now, w * h);
    cudaMalloc(&next, w * h);
    cudaMemcpy(now, cells.data(), w * h, cudaMemcpyHostToDevice);
    dim3 block(8, 4), grid((w + block.x - 1) / block.x, (h + block.y - 1) / block.y);
    for (int generation = 0; generation < 20; generation++) {
        step<<<grid, block>>>(now, next, w, h);
        std::swap(now, next);
    }
    cudaMemcpy(cells.data(), now, w * h, cudaMemcpyDeviceToHost);
    for (int y = 0; y < h; y++) {
        std::string line;
        for (int x = 0; x < w; x++) line += cells[y * w + x] ? '#' : '.';
        std::cout << line << '\n';
    }
    std::cout << (cudaGetLastError() == cudaSuccess ? "ok" : "failed") << std::endl;
    cudaFree(now);
    cudaFree(next);
}
