// An array of new[] is deleted, and what malloc() returned is resized.
#include <cstdio>
#include <cstdlib>

int main() {
    const int n = 8;
    float *h_x = new float[n];
    int *h_count = (int *)malloc(sizeof(int));
    *h_count = n;
    for (int i = 0; i < n; i++) h_x[i] = i + 0.5f;
    printf("%g\n", h_x[n - 1]);
    delete[] h_x;
    h_count = (int *)realloc(h_count, 2 * sizeof(int));
    printf("%d\n", h_count[0]);
    free(h_count);
}
