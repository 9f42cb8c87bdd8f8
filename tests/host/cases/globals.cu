// Variables with first values: scalars, arrays, structs, addresses, statics of functions.
//> 42 1 2 3 0 -1.5
//> 1 2 3
//> ok 11
int answer = 42;
int list[4] = {1, 2, 3};
double real = -1.5;
struct Node { int value; Node *next; };
extern Node second;
Node first = {1, &second};
Node third = {3, nullptr};
Node second = {2, &third};
const char text[] = "ok";
__attribute__((noinline)) int count() {
    static int calls = 10;
    return ++calls;
}
int main() {
    printf("%d %d %d %d %d %.1f\n", answer, list[0], list[1], list[2], list[3], real);
    for (Node *n = &first; n; n = n->next) printf("%d%s", n->value, n->next ? " " : "\n");
    printf("%s %d\n", text, count());
}
