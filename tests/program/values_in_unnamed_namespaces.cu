// Variables of namespaces without a name, and of others within them, have their values before main.
#include <cstdio>
#include <map>
#include <string>
#include <vector>

static int next() {
    static int n = 40;
    return ++n;
}

namespace {
int first = next();
std::string word = "abc";
namespace inner {
std::vector<int> all = {next(), 2};
namespace {
std::map<std::string, int> ages = {{"a", next()}};
}
}  // namespace inner
}  // namespace

namespace named {
namespace {
double half = next() / 2.0;
}
namespace own {
int last = next();
}
}  // namespace named

namespace {
struct Buffer {
    float *data = nullptr;
    Buffer() { cudaMalloc(&data, 32 * sizeof(float)); }
    ~Buffer() {
        cudaFree(data);
        printf("freed\n");
    }
};
Buffer buffer;

__global__ void fill(float *out) { out[threadIdx.x] = threadIdx.x; }
}  // namespace

int main() {
    fill<<<1, 32>>>(buffer.data);
    float h = 0;
    cudaMemcpy(&h, buffer.data + 9, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d %s %d %d %d %g %d %g\n", first, word.c_str(), inner::all[0], inner::all[1], inner::ages["a"],
           named::half, named::own::last, h);
}
