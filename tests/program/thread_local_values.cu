// Host code is one thread here, which has its `thread_local` variables once.
#include <cstdio>
#include <string>

thread_local int count = 3;
static thread_local std::string name = "a";

struct S {
    static thread_local int made;
};
thread_local int S::made = 5;

int next() {
    thread_local int n = 7;
    return ++n;
}

int main() {
    ++count;
    name += "b";
    next();
    printf("%d %s %d %d\n", count, name.c_str(), S::made, next());
}
