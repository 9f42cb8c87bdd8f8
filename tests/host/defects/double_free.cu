// note: It was freed at line 5.
//> done
struct Buffer {
    int *p = (int *)malloc(16);
    ~Buffer() { free(p); } //~ H003
#ifdef FIXED
    Buffer() {}
    Buffer(const Buffer &) {}
#endif
};
__attribute__((noinline)) void take(Buffer b) { b.p[0] = 1; }
int main() {
    Buffer b;
    take(b);
    b.p = b.p;
    printf("done\n");
}
