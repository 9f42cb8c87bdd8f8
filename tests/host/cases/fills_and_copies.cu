// Loops that fill memory and copy it run many rounds at once: what they leave is what each round would.
//> 15000 7021 7007
//> 499500 499500
//> 5 5 5 1 2 999
//> 18 2006
//> 40000 40000 300
//> 1.5 1500.0
__attribute__((noinline)) void set(char *to, int value, size_t n) { memset(to, value, n); }
__attribute__((noinline)) void copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }
__attribute__((noinline)) void fill(int *to, int value, int n) { for (int i = 0; i < n; i++) to[i] = value; }
__attribute__((noinline)) void take(int *to, const int *from, int n) { for (int i = 0; i < n; i++) to[i] = from[i]; }
__attribute__((noinline)) void upto(int *p, int *end) { while (p != end) *p++ = 9; }
__attribute__((noinline)) void down(int *to, int n) { for (int i = n - 1; i >= 0; i--) to[i] = 2; }
__attribute__((noinline)) long sum(const int *a, int n) { long s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int main() {
    char *bytes = (char *)malloc(5000), *others = (char *)malloc(5000);
    set(bytes, 3, 5000);
    long s = 0;
    for (int i = 0; i < 5000; i++) s += bytes[i];
    int *a = (int *)malloc(1003 * sizeof(int)), *b = (int *)malloc(1003 * sizeof(int));
    fill(a, 7, 1003);
    long all = sum(a, 1003);
    fill(a, 0, 2);
    printf("%ld %ld %ld\n", s, all, sum(a, 1003));
    for (int i = 0; i < 1000; i++) a[i] = i;
    take(b, a, 1000);
    printf("%ld %ld\n", sum(a, 1000), sum(b, 1000));
    // Each round reads what the one before it wrote; then none does.
    b[0] = 5;
    take(b + 1, b, 999);
    take(a, a + 1, 999);
    printf("%d %d %d %d %d %d\n", b[1], b[500], b[999], a[0], a[1], a[998]);
    upto(a, a + 2);
    int two = a[0] + a[1];
    down(b, 1003);
    printf("%d %ld\n", two, sum(b, 1003));
    set(bytes, 8, 5000);
    copy(others, bytes, 5000);
    long t = 0;
    s = 0;
    for (int i = 0; i < 5000; i++) { s += bytes[i]; t += others[i]; }
    set(others, 256 + 6, 50);
    long u = 0;
    for (int i = 0; i < 50; i++) u += others[i];
    printf("%ld %ld %ld\n", s, t, u);
    float *f = (float *)malloc(1000 * sizeof(float));
    for (float *p = f; p != f + 1000; ++p) *p = 1.5f;
    float g = 0;
    for (int i = 0; i < 1000; i++) g += f[i];
    printf("%.1f %.1f\n", f[999], g);
    free(bytes); free(others); free(a); free(b); free(f);
}
