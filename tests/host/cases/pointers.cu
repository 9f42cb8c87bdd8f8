// Function pointers in variables, tables and structs; a table of strings.
//> 7 12 1 81
//> one two three
// result: 4
int add(int a, int b) { return a + b; }
int times(int a, int b) { return a * b; }
int minus(int a, int b) { return a - b; }
int (*table[])(int, int) = {add, times, minus};
const char *names[] = {"one", "two", "three"};
struct Operation { int (*run)(int, int); int a, b; };
Operation operations[2] = {{times, 9, 9}, {add, 1, 3}};
int *where = &operations[1].b;
int main() {
    for (int i = 0; i < 3; i++) printf("%d ", table[i](4, 3));
    printf("%d\n", operations[0].run(operations[0].a, operations[0].b));
    for (int i = 0; i < 3; i++) printf("%s%s", names[i], i == 2 ? "\n" : " ");
    return operations[1].run(operations[1].a, *where);
}
