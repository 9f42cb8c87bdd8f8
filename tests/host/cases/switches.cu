// A switch over many values, with fall-through, in a loop.
//> 5 77 78 9 123 -3 14 -1 1000 -1
__attribute__((noinline)) int pick(int x) {
    switch (x) {
    case 0: return 5;
    case 1: return 77;
    case 2: x = 76;
    case 3: return x == 76 ? 78 : 9;
    case 4: return 123;
    case 5: return -3;
    case 6: return 14;
    case 8: return 1000;
    default: return -1;
    }
}
int main() {
    for (int i = 0; i < 10; i++) printf("%d%s", pick(i), i == 9 ? "\n" : " ");
}
