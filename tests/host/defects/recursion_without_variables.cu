// note: 131 071 calls were in progress, with 64 bytes of stack for each, and 64 bytes for the local variables of all together.
//> 10
__attribute__((noinline)) int sum(int n) {
#ifdef FIXED
    if (n < 1) return 0;
#endif
    return n + sum(n - 1) * 1; //~ H011
}
int main() { printf("%d\n", sum(4)); }
