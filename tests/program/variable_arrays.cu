// Arrays of host code whose size is worked out as the program runs, which gcc has in C++ too.
// args: 3
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Size {
    int n;
    int twice() const { return 2 * n; }
};

__global__ void square(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

struct Noisy {
    int number = 7;
    ~Noisy() { printf("gone %d\n", number); }
};

float sum(const float *values, int n) {
    float total = 0;
    for (int i = 0; i < n; i++) total += values[i];
    return total;
}

template <class T>
T first_of(int n) {
    T all[n];
    all[0] = n;
    return all[0];
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    Size size{n};
    float in[n], out[size.twice()], *both[2] = {in, out};
    for (int i = 0; i < n; i++) in[i] = i + 1;

    float *d_in, *d_out;
    cudaMalloc(&d_in, sizeof(in));
    cudaMalloc(&d_out, sizeof in);
    cudaMemcpy(d_in, in, sizeof(in), cudaMemcpyHostToDevice);
    square<<<1, 32>>>(d_in, d_out, n);
    cudaMemcpy(out, d_out, sizeof(in), cudaMemcpyDeviceToHost);
    printf("%g %g, %zu %zu\n", sum(out, n), sum(both[0], n), sizeof(in) / sizeof(in[0]), sizeof(out));

    int table[n + 1][3], counts[n] = {0};
    for (int i = 0; i <= n; i++)
        for (int j = 0; j < 3; j++) table[i][j] = i * j;
    for (int round = 0; round < 4; round++) {
        char text[strlen(argv[1]) + round + 1];
        memset(text, 'a', sizeof(text) - 1);
        text[sizeof(text) - 1] = 0;
        counts[round % n] += strlen(text);
    }
    printf("%d %zu, %d %d %d\n", table[n][2], sizeof(table), counts[0], counts[1], counts[2]);

    std::vector<int> lists[n];
    for (int i = 0; i < n; i++) lists[i].assign(i + 1, i);
    Noisy noisy[2 * n - 4];
    noisy[0].number = lists[2].back();
    printf("%zu %g\n", lists[n - 1].size(), first_of<double>(n));

    // The address of the whole array, which is that of its first element.
    int whole[n + 1] = {3, 1,
                        4};
    cudaMemcpy(d_in, &whole, sizeof(whole) - sizeof(int), cudaMemcpyHostToDevice);
    memset(&whole, 0, sizeof(whole));
    cudaMemcpy((void *)&whole, d_in, sizeof(whole) - sizeof(int), cudaMemcpyDeviceToHost);
    const char *names[n] = {"one", "two"};
    printf("%d %d %d %d, %s %d\n", whole[0], whole[1], whole[2], whole[3], names[1], names[2] == nullptr);
    cudaFree(d_in);
    cudaFree(d_out);
}
