// A whole file is read through its buffer, and with iterators over its characters.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

__global__ void upper(char *p, int n) {
    int i = threadIdx.x;
    if (i < n && p[i] >= 'a' && p[i] <= 'z') p[i] -= 32;
}

int main() {
    { std::ofstream("text.txt") << "one line\n  and another\n"; }
    std::ifstream file("text.txt");
    std::stringstream all;
    all << file.rdbuf();
    std::string text = all.str();
    std::ifstream again("text.txt");
    std::string same((std::istreambuf_iterator<char>(again)), std::istreambuf_iterator<char>());
    std::ifstream third("text.txt");
    std::vector<char> bytes{std::istreambuf_iterator<char>(third.rdbuf()), {}};
    printf("%d %d %zu\n", text == same, file.good(), bytes.size());
    char *d;
    if (cudaMalloc(&d, text.size()) != cudaSuccess) return 1;
    if (cudaMemcpy(d, text.data(), text.size(), cudaMemcpyHostToDevice) != cudaSuccess) return 2;
    upper<<<1, 32>>>(d, text.size());
    if (cudaMemcpy(&text[0], d, text.size(), cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
    printf("%s", text.c_str());
    return cudaFree(d) != cudaSuccess;
}
