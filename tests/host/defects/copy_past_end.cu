// More is copied than there is to read.
__attribute__((noinline)) void take(int *to, const int *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i]; //~ H001
}
int main() {
    int *a = (int *)malloc(20000 * sizeof(int)), *b = (int *)malloc(20000 * sizeof(int));
    for (int i = 0; i < 20000; i++) a[i] = i;
#ifdef FIXED
    take(b, a, 20000);
#else
    take(b, a + 1, 20000);
#endif
    free(a);
    free(b);
}
