// Values that are worked out before main, or where control comes by for the first time, and what becomes of them at
// the end.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

struct Buffer {
    float *p;
    int n;
    Buffer(int n) : n(n) {
        cudaMalloc(&p, n * sizeof(float));
        printf("made %d\n", n);
    }
    ~Buffer() {
        cudaFree(p);
        printf("freed %d\n", n);
    }
};

static Buffer first(100);
Buffer second{200};
int total() {
    static int calls = 0;
    return first.n + second.n + calls++;
}
const int sum = total(); // 300
int after = total();     // 301
const int count = pow(2, 10);
int blocks = ceil(count / 256.0);
float *values = (float *)malloc(40);
std::vector<int> data(100, 4);
const std::map<std::string, int> numbers = {
    {"a", 1},
    {"b", 2},
};
namespace names {
std::string path("x"); // with a comment
std::string longer = path + "y"
                     + "z";
} // namespace names
std::vector<int> table[3];

template <class T>
size_t seen(T value) {
    static std::vector<T> all(3);
    all.push_back(value);
    return all.size();
}

float uniform() {
    static std::mt19937 generator(7);
    static std::uniform_real_distribution<float> distribution(0.0f, 1.0f);
    return distribution(generator);
}

struct Noisy {
    int n;
    Noisy(int n) : n(n) { printf("made %d\n", n); }
    ~Noisy() { printf("gone %d\n", n); }
};
int next(int from) {
    static Noisy noisy{from};
    return noisy.n++;
}

__global__ void set(float *p, float v) {
    p[threadIdx.x] = v;
}

int main() {
    set<<<1, 100>>>(first.p, 2.0f);
    cudaMemcpy(values, first.p, 10 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g %d %d %d %d\n", values[9], sum, after, count, blocks);
    printf("%zu %d %s %s %zu %zu\n", data.size(), numbers.at("b"), names::path.c_str(), names::longer.c_str(),
           table[2].size(), sizeof table / sizeof *table);
    size_t one = seen(1), two = seen(2), other = seen(1.5);
    printf("%zu %zu %zu\n", one, two, other);
    float a = uniform(), b = uniform();
    int three = next(3), four = next(9);
    printf("%d %d %d\n", a != b && a >= 0 && b < 1, three, four);
    free(values);
}
