#include <cstdio>
int main() {
    char *d_text;
    cudaMalloc(&d_text, 8);
    cudaMemset(d_text, 0, 8);
#ifdef FIXED
    char text[8];
    cudaMemcpy(text, d_text, 8, cudaMemcpyDeviceToHost);
    printf("%s\n", text);
#else
    printf("%s\n", d_text);
#endif
    cudaFree(d_text);
}
