// note: That is the first byte past the end of the 40 bytes that were allocated.
// note: It was allocated at line 6.
//> 45
__attribute__((noinline)) int sum(int n) {
    int s = 0;
    int *a = (int *)malloc(n * sizeof(int));
#ifdef FIXED
    for (int i = 0; i < n; i++) a[i] = i;
#else
    for (int i = 0; i <= n; i++) a[i] = i; //~ H001
#endif
    for (int i = 0; i < n; i++) s += a[i];
    free(a);
    return s;
}
int main() { printf("%d\n", sum(10)); }
