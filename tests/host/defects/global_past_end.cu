//> 6
int table[3] = {1, 2, 3};
__attribute__((noinline)) int sum(int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += table[i]; //~ H001
    return s;
}
int main() {
#ifdef FIXED
    printf("%d\n", sum(3));
#else
    printf("%d\n", sum(4));
#endif
}
