// Recursion, alone and in turns.
//> 6765 1 61
long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
bool odd(unsigned n);
bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }
int ackermann(int m, int n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
int main() { printf("%ld %d %d\n", fib(20), (int)even(10000), ackermann(3, 3)); }
