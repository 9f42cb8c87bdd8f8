//> 2147483648
#ifdef FIXED
typedef long long Number;
#else
typedef int Number;
#endif
__attribute__((noinline)) long long opposite(Number value, Number sign) {
    return value / sign; //~ H012
}
int main(int count, char **) {
    printf("%lld\n", opposite(-2147483647 - count, -count));
}
