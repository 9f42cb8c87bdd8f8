// Loops over arrays of floats and integers.
extern "C" __attribute__((noinline)) void fill(float *a, int *b, int n) {
    for (int i = 0; i < n; i++) {
        a[i] = (i % 100) * 0.5f;
        b[i] = (i * 7) ^ (i >> 3);
    }
}
extern "C" __attribute__((noinline)) double total(const float *a, const int *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * (b[i] & 15);
    return sum;
}
int main(int argc, char **argv) {
    const int n = 1 << 16;
    float *a = (float *)malloc(n * sizeof(float));
    int *b = (int *)malloc(n * sizeof(int));
    double sum = 0;
    for (int round = 0; round < 60; round++) {
        fill(a, b, n);
        sum += total(a, b, n);
    }
    free(a);
    free(b);
    return (int)(sum / 1e6);
}
