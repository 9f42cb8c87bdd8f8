#include <cstdio>
int main() {
    int n = 3;
#ifdef FIXED
    float mean = 1.5f;
    printf("%d %f\n", n, mean);
    printf("100%% done\n");
#else
    printf("%d %f\n", n);
#endif
}
