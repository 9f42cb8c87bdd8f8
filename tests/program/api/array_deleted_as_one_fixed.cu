// Arrays are deleted with all of their objects.
#include <cstdio>

struct Counted {
    int number = 7;
    ~Counted() { printf("ends %d\n", number); }
};

int main() {
    int *plain = new int[4]();
    Counted *objects = new Counted[3];
    Counted *one = new Counted;
    delete[] plain;
    delete[] objects;
    delete one;
}
