// A function's own variables are made where control first comes by, whatever says what their members are at first.
#include <cstdio>
#include <cstdlib>
#include <utility>

static int next() {
    static int n = 0;
    return ++n;
}

struct Options {
    int threads = atoi("128");
    double eps = 1.0 / threads;
    int number = next();
};

Options &options() {
    static Options o;
    return o;
}

template <class T>
T &one() {
    static T t = T();
    return t;
}

class Context {
  public:
    static Context &get() {
        static Context c;
        return c;
    }
    Context(const Context &) = delete;
    cudaStream_t stream;

  private:
    Context() { cudaStreamCreate(&stream); }
    ~Context() {
        cudaStreamDestroy(stream);
        printf("over\n");
    }
};

struct Counter {
    int n = next() + 4;
};

int counted(int kind) {
    switch (kind) {
        case 0: static Counter a; return a.n++;
        default: static const Counter b; return b.n;
    }
}

int captured() {
    static Counter c;
    static Counter &also = c;
    auto copy = [=] { return c.n; };
    auto change = [] { return ++c.n; };
    change();
    return copy() * 100 + also.n * 10;
}

int main() {
    printf("%d %g %d\n", options().threads, options().eps, options().number);
    auto local = [] {
        static Options two[2];
        static std::pair<int, Options> p;
        return two[0].number * 100 + two[1].number * 10 + p.second.number;
    };
    int both = local(), again = local();
    printf("%d %d %d\n", both, again, one<Options>().number + one<Options>().number);
    int once = captured();
    int first = counted(0), then = counted(0), other = counted(1);
    printf("%d %d %d %d\n", then - first, other, once, captured() - once);
    static size_t count = 3;
    static const float table[2] = {1, 2};
    printf("%zu %g %d\n", ++count, table[1], cudaStreamSynchronize(Context::get().stream));
}
