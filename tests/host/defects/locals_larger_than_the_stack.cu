//> 8
#ifdef FIXED
const int MOST = 4000;
#else
const int MOST = 4000000;
#endif
__attribute__((noinline)) float product(int n) {
    float all[MOST];
    for (int i = 0; i < 4000; i++)
        all[i] = i * n;
    return all[n + 2];
}
int main() {
    printf("%g\n", product(2)); //~ H011
}
