// printf("%s") is given text that lies on the device.
// exit: stopped
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                   \
    do {                                                              \
        cudaError_t e_ = (call);                                      \
        if (e_ != cudaSuccess) {                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
            exit(1);                                                  \
        }                                                             \
    } while (0)

__global__ void shout(char *text) {
    char c = text[threadIdx.x];
    if (c >= 'a' && c <= 'z') text[threadIdx.x] = c - 'a' + 'A';
}

int main() {
    char text[] = "hello from the device";
    char *d_text;
    CHECK(cudaMalloc(&d_text, sizeof text));
    CHECK(cudaMemcpy(d_text, text, sizeof text, cudaMemcpyHostToDevice));
    shout<<<1, sizeof text>>>(d_text);
    CHECK(cudaDeviceSynchronize());
    printf("%s\n", d_text); //~ A004
    CHECK(cudaFree(d_text));
    return 0;
}
