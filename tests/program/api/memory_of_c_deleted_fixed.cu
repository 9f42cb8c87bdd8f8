// Everything is freed by what belongs to it: objects, arrays and strings, also through pointers that own them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct Counted {
    static int alive;
    int number = 7;
    Counted() { alive++; }
    virtual ~Counted() { alive--; }
};
int Counted::alive = 0;
struct Derived : Counted {
    std::string name = "a name that is too long for its object";
};
struct alignas(16) Wide {
    double of[2] = {1, 2};
    ~Wide() { Counted::alive--; }
    Wide() { Counted::alive++; }
};
struct alignas(64) Line {
    float of[16] = {};
};
struct Pooled {
    int number = 1;
    static void *operator new(size_t bytes) { return malloc(bytes); }
    static void operator delete(void *p) { free(p); }
};

int main() {
    char *name = strdup("saxpy");
    int *counts = (int *)calloc(4, sizeof(int));
    double *one = new double(0.5);
    printf("%s %d %g\n", name, counts[3], *one);
    free(name);
    free(counts);
    delete one;

    size_t n = 3;
    Counted *objects = new Counted[n];
    Wide *wide = new Wide[n];
    Line *lines = new Line[n], *line = new Line;
    Counted *derived = new Derived;
    Wide *none = new Wide[n - 3];
    printf("%d\n", Counted::alive);
    delete[] objects;
    delete[] wide;
    delete[] lines;
    delete line;
    delete derived;
    delete[] none;
    delete new Pooled;

    int *few = new (std::nothrow) int[4];
    int *single = new (std::nothrow) int(1);
    delete[] few;
    delete single;
    void *raw = ::operator new(sizeof(Counted));
    Counted *placed = new (raw) Counted;
    placed->~Counted();
    ::operator delete(raw);

    {
        std::unique_ptr<Counted> owned(new Derived);
        std::unique_ptr<Counted[]> array(new Counted[2]);
        std::unique_ptr<float[]> floats = std::make_unique<float[]>(8);
        std::unique_ptr<char, decltype(&free)> text(strdup("text"), &free);
        std::shared_ptr<Counted> shared = std::make_shared<Derived>();
        std::shared_ptr<Counted[]> several(new Counted[4]);
        std::shared_ptr<float> with_deleter(new float[4], [](float *p) { delete[] p; });
        std::map<std::string, std::vector<int>> tables = {{"a key that takes memory of its own", {1, 2, 3}}};
        std::function<int(int)> adds = [tables, n](int x) { return x + int(n + tables.size()); };
        printf("%d %d %s\n", adds(1), Counted::alive, text.get());
    }
    printf("%d\n", Counted::alive);
}
