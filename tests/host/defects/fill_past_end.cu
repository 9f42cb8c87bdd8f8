// A block is filled beyond its end: the first byte behind it is told, and what is before it was filled.
__attribute__((noinline)) void set(char *to, int value, size_t n) {
    memset(to, value, n); //~ H001
}
int main() {
    char *bytes = (char *)malloc(100000);
#ifdef FIXED
    set(bytes, 1, 100000);
#else
    set(bytes, 1, 100001);
#endif
    free(bytes);
}
