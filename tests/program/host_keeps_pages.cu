// Pinned and managed memory that the host goes through element by element, between launches: what it writes, and
// nothing else, is there for the kernels, and what they write is there for the host.
#include <cstdio>
#include <cstdint>
#include <cstring>

#define CHECK(call) do { cudaError_t e = (call); if (e) { printf("%s\n", cudaGetErrorString(e)); return 1; } } while (0)

struct Item {
    char kind;
    int value;
    short tail;
};

__global__ void twice(int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= 2;
}

__global__ void add_up(const Item *items, int n, long long *sum) {
    long long own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) own += items[i].kind + items[i].value + items[i].tail;
    atomicAdd((unsigned long long *)sum, (unsigned long long)own);
}

__global__ void bytes_up(const unsigned char *bytes, int n, int *sum) {
    int own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) own += bytes[i];
    atomicAdd(sum, own);
}

__global__ void first_half(const int *data, int n, int *sum) {
    int own = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) own += data[i]; //~ I001
    atomicAdd(sum, own);
}

__managed__ int history[500];

int main() {
    const int n = 40001;
    int *a, *b;
    CHECK(cudaMallocManaged(&a, n * sizeof(int)));
    CHECK(cudaMallocHost(&b, n * sizeof(int)));
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < n; i++) a[i] = i + round;
        for (int i = n; i-- > 0;) b[i] = a[i] - round;
        for (int i = 0; i < 500; i++) history[i] = history[(i * 7) % 500] + a[i];
        twice<<<(n + 255) / 256, 256>>>(a, n);
        twice<<<2, 256>>>(history, 500);
        CHECK(cudaDeviceSynchronize());
        long long sum = 0, of_b = 0, of_history = 0;
        for (int i = 0; i < n; i++) sum += a[i], of_b += b[i];
        for (int i = 0; i < 500; i++) of_history += history[i];
        printf("%d: %lld %lld %lld\n", round, sum, of_b, of_history);
    }

    // Words of which a part is nobody's, and bytes that look like the mark of what nobody wrote.
    const int items = 3000;
    Item *list;
    long long *sum;
    CHECK(cudaMallocManaged(&list, items * sizeof(Item)));
    CHECK(cudaMallocHost(&sum, sizeof *sum));
    for (int i = 0; i < items; i++) list[i].kind = i % 100;
    for (int i = 0; i < items; i++) list[i].value = -i;
    for (int i = 0; i < items; i++) list[i].tail = i % 7;
    *sum = 0;
    add_up<<<1, 256>>>(list, items, sum);
    CHECK(cudaDeviceSynchronize());
    printf("items: %lld\n", *sum);

    const int count = 70000;
    unsigned char *bytes;
    int *total;
    CHECK(cudaMallocHost(&bytes, count));
    CHECK(cudaMallocManaged(&total, sizeof *total));
    for (int i = 0; i < count; i++) bytes[i] = 0xf9 + i % 7;
    *total = 0;
    bytes_up<<<1, 256>>>(bytes, count, total);
    CHECK(cudaDeviceSynchronize());
    int here = 0;
    for (int i = 0; i < count; i++) here += bytes[i];
    printf("bytes: %d %d\n", *total, here);

    // The library reads and writes what the host keeps.
    for (int i = 0; i < 100; i++) bytes[i] = 'a' + i % 26;
    bytes[100] = 0;
    printf("%s %zu\n", (char *)bytes + 80, strlen((char *)bytes));
    memcpy(bytes + 200, bytes, 101);
    memset(bytes + 200, 'z', 5);
    printf("%.30s %d\n", (char *)bytes + 200, memcmp(bytes + 206, bytes + 6, 90));

    // Another stream's copy of what was just written.
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *d;
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    for (int i = 0; i < n; i++) b[i] = 3 * i;
    CHECK(cudaMemcpyAsync(d, b, n * sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < n; i++) b[i] = 0;
    twice<<<(n + 255) / 256, 256, 0, stream>>>(d, n);
    CHECK(cudaMemcpyAsync(b, d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    long long back = 0;
    for (int i = 0; i < n; i++) back += b[i];
    printf("back: %lld\n", back);

    // All but the last element: what the kernel reads there, nobody wrote.
    int *partly;
    CHECK(cudaMallocManaged(&partly, 20000 * sizeof(int)));
    for (int i = 0; i < 20000; i++)
        if (i != 19998) partly[i] = i;
    *total = 0;
    first_half<<<1, 128>>>(partly, 20000, total);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(a));
    CHECK(cudaFreeHost(b));
    CHECK(cudaFree(list));
    CHECK(cudaFreeHost(sum));
    CHECK(cudaFreeHost(bytes));
    CHECK(cudaFree(total));
    CHECK(cudaFree(d));
    CHECK(cudaFree(partly));
    CHECK(cudaStreamDestroy(stream));
}
