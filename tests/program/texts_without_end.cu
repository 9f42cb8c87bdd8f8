// Texts in arrays smaller than what printf is given of them, and texts without a zero, of which a precision says how
// much is printed.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void show(const char *text) { printf("%.4s|%.2s|\n", text, text + 1); }

int main(int argc, char **argv) {
    char unit[3] = "ms", name[10] = "a kernel";
    if (argc > 5) unit[0] = name[0] = 'u';
    printf("%s\n", unit);
    printf("%s %d %s %f\n", unit, 7, name, 0.5);
    fprintf(stdout, "%s takes %d %s\n", name, 7, unit);

    char *letters = (char *)malloc(10);
    for (int i = 0; i < 10; i++) letters[i] = 'a' + i;
    printf("%.10s|%.3s|%12.*s|\n", letters, letters, 10, letters);
    char four[4] = {'f', 'o', 'u', 'r'}, out[16];
    if (argc > 5) four[0] = 'F';
    snprintf(out, sizeof out, "%.4s!", four);
    printf("%s\n", out);

    char *d;
    cudaMalloc(&d, 4);
    cudaMemcpy(d, letters, 4, cudaMemcpyHostToDevice);
    show<<<1, 1>>>(d);
    cudaDeviceSynchronize();
    cudaFree(d);
    free(letters);
}
