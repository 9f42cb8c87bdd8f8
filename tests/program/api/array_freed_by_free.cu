// An array of new[] is passed to free(), and what new returned to realloc().
#include <cstdio>
#include <cstdlib>

int main() {
    const int n = 8;
    float *h_x = new float[n];
    int *h_count = new int(n);
    for (int i = 0; i < n; i++) h_x[i] = i + 0.5f;
    printf("%g\n", h_x[n - 1]);
    free(h_x); //~ H013
    h_count = (int *)realloc(h_count, 2 * sizeof(int)); //~ H013
    printf("%d\n", h_count[0]);
    free(h_count);
}
