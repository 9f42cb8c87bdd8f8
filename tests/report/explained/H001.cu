#include <cstdlib>
int main() {
    const int n = 10;
    int *a = (int *)malloc(n * sizeof(int));
#ifdef FIXED
    for (int i = 0; i < n; i++) a[i] = i;
#else
    for (int i = 0; i <= n; i++) a[i] = i;
#endif
    free(a);
}
