#include <cstdio>
__attribute__((noinline)) int *bad() { int x = 1; return &x; }
int good() { int x = 1; return x; }
int main() {
#ifdef FIXED
    printf("%d\n", good());
#else
    int *p = bad();
    printf("%d\n", *p);
#endif
}
