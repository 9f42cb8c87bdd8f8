// note: The pointer is null.
//> 4
int twice(int x) { return 2 * x; }
int (*function)(int);
__attribute__((noinline)) int call(int x) {
    return function(x); //~ H009
}
int main() {
#ifdef FIXED
    function = twice;
#endif
    printf("%d\n", call(2));
}
