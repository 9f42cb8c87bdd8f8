// Keeps the first large array until the end.
#include <cstdio>
#include <cstdlib>

// Stops the program with the line and the reason when a call of CUDA fails.
#define CHECK(call)                                                                   \
    do {                                                                              \
        cudaError_t error_ = (call);                                                  \
        if (error_ != cudaSuccess) {                                                  \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(error_));   \
            exit(1);                                                                  \
        }                                                                             \
    } while (0)

// The timeline: what was allocated and freed, and how much was in use then.
struct Event {
    const char *sign, *name;
    int numbers; // in use behind it
};
const int MOST = 100;
Event events[MOST];
int event_count = 0, in_use = 0;

void note(const char *sign, const char *name, int numbers) {
    in_use += numbers;
    if (event_count < MOST) {
        events[event_count++] = {sign, name, in_use};
    }
}

float *allocate(const char *name, int numbers) {
    float *x;
    CHECK(cudaMalloc(&x, numbers * sizeof(float)));
    note("+", name, numbers);
    return x;
}

void release(float *x, const char *name, int numbers) {
    CHECK(cudaFree(x));
    note("-", name, -numbers);
}

// Each number four times, multiplied by 1, 2, 3 and 4.
__global__ void spread(const float *in, float *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * n) {
        wide[i] = in[i / 4] * (i % 4 + 1);
    }
}

// The sum of four numbers each.
__global__ void add_fours(const float *wide, float *left, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        left[i] = wide[4 * i] + wide[4 * i + 1] + wide[4 * i + 2] + wide[4 * i + 3];
    }
}

// Four rows, each shifted by one more.
__global__ void shift(const float *in, float *tall, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 4 * n) {
        tall[i] = in[(i % n + i / n) % n];
    }
}

// The largest of each column.
__global__ void largest(const float *tall, float *right, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        right[i] = fmaxf(fmaxf(tall[i], tall[i + n]), fmaxf(tall[i + 2 * n], tall[i + 3 * n]));
    }
}

__global__ void combine(const float *left, const float *right, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = left[i] * right[i] + in[i];
    }
}

void pipeline(const float *in, float *out, int n) {
    int blocks = (n + 255) / 256, blocks4 = (4 * n + 255) / 256;
    float *d_in = allocate("in", n);
    CHECK(cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice));

    // One large array after the other: neither step needs the other's. Each is
    // freed before the next one is allocated.
    float *wide = allocate("wide", 4 * n);
    spread<<<blocks4, 256>>>(d_in, wide, n);
    CHECK(cudaGetLastError());
    float *left = allocate("left", n);
    add_fours<<<blocks, 256>>>(wide, left, n);
    CHECK(cudaGetLastError());

    float *tall = allocate("tall", 4 * n); //~ too-much-work: peak_device_bytes
    shift<<<blocks4, 256>>>(d_in, tall, n);
    CHECK(cudaGetLastError());
    float *right = allocate("right", n);
    largest<<<blocks, 256>>>(tall, right, n);
    CHECK(cudaGetLastError());
    release(tall, "tall", 4 * n);

    float *d_out = allocate("out", n);
    combine<<<blocks, 256>>>(left, right, d_in, d_out, n);
    CHECK(cudaGetLastError());
    release(wide, "wide", 4 * n);
    release(left, "left", n);
    release(right, "right", n);
    release(d_in, "in", n);
    CHECK(cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
    release(d_out, "out", n);
}

int main() {
    const int N = 100;
    float in[N], out[N];
    for (int i = 0; i < N; i++) {
        in[i] = i % 7;
    }
    pipeline(in, out, N);
    printf("%g %g\n", out[1], out[99]); // 41 21

    // A line for each event, a # for each N numbers in use.
    for (int i = 0; i < event_count; i++) {
        printf("%s %-6s ", events[i].sign, events[i].name);
        for (int k = 0; k < events[i].numbers; k += N) {
            printf("#");
        }
        printf("\n");
    }
}
