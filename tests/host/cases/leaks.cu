// What was not freed, by the line that asked for it, through functions of headers.
//> 40 bytes of line 4, 4 bytes of line 9
extern "C" void leaks();
struct Holder { int *p; Holder(size_t n) : p(new int[n]) {} };
int main() {
    int *freed = (int *)malloc(100);
    free(freed);
    Holder kept(10); /*
*/  int *other = new int(3);
    leaks();
    return *other - 3 + (kept.p == nullptr);
}
