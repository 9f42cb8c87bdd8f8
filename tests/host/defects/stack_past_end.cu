//> 3
__attribute__((noinline)) void fill(int *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = i; //~ H001
}
int main() {
    int a[4];
#ifdef FIXED
    fill(a, 4);
#else
    fill(a, 40);
#endif
    printf("%d\n", a[3]);
}
