// An element in front of a local array, and of all that is in use.
// note: The address is 4 bytes before the start of the local variables.
//> 3
__attribute__((noinline)) void put(int *all, int at) {
    all[at] = 3; //~ H001
}
int main() {
    int all[4] = {};
#ifdef FIXED
    put(all, 2);
#else
    put(all, -1);
#endif
    printf("%d\n", all[2]);
}
