// note: The address is 4 bytes before the start of the 4000 bytes that were allocated.
//> 1
int main() {
    int *a = (int *)malloc(1000 * sizeof(int));
    volatile int i = 0;
    a[0] = 1;
#ifdef FIXED
    int before = i > 0 ? a[i - 1] : 0;
#else
    int before = a[i - 1]; //~ H001
#endif
    printf("%d\n", before + a[0]);
    free(a);
}
