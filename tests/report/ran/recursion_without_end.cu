#include <cstdio>

__attribute__((noinline)) int sum(int n) { return n + sum(n - 1) * 3; }

int main() { printf("%d\n", sum(4)); }
