#include <cstdio>
void count(int n) { if (n != 0) count(n - 1); printf("%d\n", n); }
int main() {
#ifdef FIXED
    count(3);
#else
    count(-1);
#endif
}
