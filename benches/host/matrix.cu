// A product of matrices as the reference of a lesson computes it.
extern "C" __attribute__((noinline)) void product(const float *a, const float *b, float *c, int n) {
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
            c[row * n + column] = sum;
        }
}
int main(int argc, char **argv) {
    const int n = 224;
    float *a = new float[n * n], *b = new float[n * n], *c = new float[n * n];
    for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
    product(a, b, c, n);
    return (int)c[n];
}
