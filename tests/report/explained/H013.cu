#include <cstdio>
#include <cstdlib>
int main() {
    int n = 4;
    float *h_x = new float[n];
    for (int i = 0; i < n; i++) h_x[i] = i + 0.5f;
    printf("%g\n", h_x[3]);
#ifdef FIXED
    delete[] h_x;
#else
    free(h_x);
#endif
}
