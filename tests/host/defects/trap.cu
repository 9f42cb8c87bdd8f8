//> 1
int main() {
#ifndef FIXED
    __trap(); //~ H010
#endif
    printf("1\n");
}
