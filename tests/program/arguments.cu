// What a program is given, and what it gives back.
// args: 3 0x10 -4
// exit: 25
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void square(int *x) { *x *= *x; }

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: %s NUMBER [NUMBER...]\n", strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0]);
        return 64;
    }
    int sum = 0, *d;
    cudaMalloc(&d, sizeof(int));
    for (int i = 1; i < argc; i++) {
        char *end;
        int v = (int)strtol(argv[i], &end, 0);
        if (*end) {
            printf("not a number: %s\n", argv[i]);
            cudaFree(d);
            exit(3);
        }
        cudaMemcpy(d, &v, sizeof v, cudaMemcpyHostToDevice);
        square<<<1, 1>>>(d);
        cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
        printf("%s squared is %d\n", argv[i], v);
        sum += v;
    }
    cudaFree(d);
    printf("sum %d, argv ends: %d\n", sum, argv[argc] == NULL);
    return sum % 256;
}
