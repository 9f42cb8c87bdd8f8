// Lambdas: by value, by reference, kept, and as function pointers.
//> 285 55 10
//> 12
template <class F> __attribute__((noinline)) int sum(int n, F f) {
    int s = 0;
    for (int i = 0; i < n; i++) s += f(i);
    return s;
}
__attribute__((noinline)) int apply(int (*f)(int), int x) { return f(x); }
int main() {
    int calls = 0, factor = 1;
    int squares = sum(10, [&](int i) { calls++; return i * i * factor; });
    int plain = sum(10, [factor](int i) { return (i + 1) * factor; });
    printf("%d %d %d\n", squares, plain, calls);
    printf("%d\n", apply([](int x) { return x * 3; }, 4));
}
