//> 5
struct Config { int values[4]; };
__attribute__((noinline)) void make(Config *&out, Config *room, int n) {
    Config local;
    for (int i = 0; i < 4; i++) local.values[i] = n + i;
#ifdef FIXED
    *room = local;
    out = room;
#else
    out = &local;
#endif
}
int main() {
    Config room, *config = nullptr;
    make(config, &room, 5);
    int first = ((volatile Config *)config)->values[0]; //~ H006
    printf("%d\n", first);
}
