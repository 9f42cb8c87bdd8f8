#include <cstdio>
#ifdef FIXED
int mean(int sum, int n) { return n == 0 ? 0 : sum / n; }
#else
int mean(int sum, int n) { return sum / n; }
#endif
int main(int count, char **) { printf("%d\n", mean(7, count - 1)); }
