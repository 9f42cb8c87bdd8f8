//> 15
__attribute__((noinline)) long sum(const long *a, long n) {
#ifdef FIXED
    if (n < 1) return 0;
#endif
    long room[4] = {a[0] + 1};
    long rest = sum(room, n - 1); //~ H011
    return rest * 2 + room[0] - rest;
}
int main() {
    long one = 0;
    printf("%ld\n", sum(&one, 5));
}
