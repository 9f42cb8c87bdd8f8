//> 3
struct Base { virtual int get() = 0; };
struct Three : Base { int get() override { return 3; } };
__attribute__((noinline)) Base *make() {
#ifdef FIXED
    return new Three;
#else
    void *room = malloc(sizeof(Three));
    memset(room, 0, sizeof(Three));
    return (Base *)room;
#endif
}
int main() {
    Base *b = make();
    int value = b->get(); //~ H005
    printf("%d\n", value);
}
