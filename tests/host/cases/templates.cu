// Templates, with values and types, and a vector that grows.
//> 120 3628800
//> 0 1 4 9 16 25 36 49 64 81
//> 3.5 x
template <int N> struct Factorial { static constexpr long value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr long value = 1; };
template <class T> class Vector {
    T *data = nullptr;
    size_t count = 0, room = 0;
public:
    ~Vector() { free(data); }
    void push(const T &value) {
        if (count == room) {
            room = room ? room * 2 : 1;
            data = (T *)realloc(data, room * sizeof(T));
        }
        data[count++] = value;
    }
    T &operator[](size_t i) { return data[i]; }
    T *begin() { return data; }
    T *end() { return data + count; }
};
template <class A, class B> struct Pair { A first; B second; };
template <class A, class B> __attribute__((noinline)) Pair<A, B> pair(A a, B b) { return {a, b}; }
int main() {
    printf("%ld %ld\n", Factorial<5>::value, Factorial<10>::value);
    Vector<int> v;
    for (int i = 0; i < 10; i++) v.push(i * i);
    for (int &x : v) printf("%d%s", x, &x + 1 == v.end() ? "\n" : " ");
    auto p = pair(3.5, 'x');
    printf("%.1f %c\n", p.first, p.second);
}
