// Structs by value: to functions, from functions, and to what the program does not define.
//> 10 45 3 2.5
//> 64.75
//> 7 8 9
// result: 3
struct Ints { int a[3]; };
struct Doubles { double a[3]; };
struct Mixed { char c; short s; double d; };
struct Big { int a[10]; };
extern "C" double sum_of(Ints, Doubles, float, long long);
extern "C" Ints three(int);
__attribute__((noinline)) Big make(int n, Big b) {
    for (int i = 0; i < 10; i++) b.a[i] += i * n;
    return b;
}
__attribute__((noinline)) Mixed mixed(Mixed m) {
    m.c += 1;
    m.s -= 1;
    m.d *= 0.5;
    return m;
}
int main(int argc, char **argv) {
    Big b{};
    b.a[0] = 10;
    b = make(argc, b);
    int sum = 0;
    for (int i = 1; i < 10; i++) sum += b.a[i];
    Mixed m = mixed({2, 3, 5.0});
    printf("%d %d %d %.1f\n", b.a[0], sum, m.c, m.d);
    printf("%.2f\n", sum_of({1, 2, 3}, {{10.5, 20.5, 0.25}}, 1.5f, 26));
    Ints t = three(9);
    printf("%d %d %d\n", t.a[0], t.a[1], t.a[2]);
    return m.s + argc;
}
