// Host loops and memset, memcpy, in pinned and managed memory of many pages.
#include <cstdio>
#include <cstdlib>
#include <cstring>

const int n = 1 << 16;

static long long check(float *a, float *copy) {
    memset(a, 0, n * sizeof(float));
    float sum = 0;
    for (int i = 0; i < n; i++) sum += a[i];
    memset(a, 0, n * sizeof(float));
    for (int i = 0; i < n; i++) a[i] = i % 251;
    long long total = 0;
    for (int i = 0; i < n; i++) total += (long long)a[i];
    memcpy(copy, a, n * sizeof(float));
    for (int i = 0; i < n; i++) total += copy[i] == i % 251;
    memcpy(a, copy + n / 2, n / 2 * sizeof(float));
    memmove(a + 3, a, (n - 3) * sizeof(float));
    for (int i = 0; i < n; i++) copy[i] = a[i];
    for (int i = n - 1; i >= 3; i--) total += copy[i] != (i - 3 < n / 2 ? (i - 3 + n / 2) % 251 : (i - 3) % 251);
    return total + (long long)sum;
}

int main() {
    float *pinned, *managed, *copy = (float *)malloc(n * sizeof(float));
    cudaMallocHost(&pinned, n * sizeof(float));
    cudaMallocManaged(&managed, n * sizeof(float));
    float *pageable = (float *)malloc(n * sizeof(float));
    long long plain = check(pageable, copy);
    printf("%d %d\n", check(pinned, copy) == plain, check(managed, copy) == plain);
    printf("%lld\n", plain);
    cudaFreeHost(pinned);
    cudaFree(managed);
    free(pageable);
    free(copy);
}
