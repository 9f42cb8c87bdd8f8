// Recursion: little else than calls.
__attribute__((noinline)) long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int argc, char **argv) { return (int)(fib(30) & 127); }
