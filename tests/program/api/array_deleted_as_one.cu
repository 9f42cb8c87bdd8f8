// Arrays are deleted as if they were one object, with and without a destructor.
#include <cstdio>

struct Counted {
    int number = 7;
    ~Counted() { printf("ends %d\n", number); }
};

int main() {
    int *plain = new int[4]();
    Counted *objects = new Counted[3];
    Counted *one = new Counted;
    delete plain; //~ H013
    delete objects; //~ H013
    delete one;
}
