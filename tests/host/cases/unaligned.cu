// The host's processor reads values at any address.
//> 4030201 807060504030201 1.5
int main() {
    unsigned char *bytes = (unsigned char *)malloc(32);
    for (int i = 0; i < 32; i++) bytes[i] = i;
    volatile int one = 1;
    printf("%x %lx", *(unsigned *)(bytes + one), *(unsigned long *)(bytes + one));
    *(float *)(bytes + one + 2) = 1.5f;
    printf(" %.1f\n", *(float *)(bytes + one + 2));
    free(bytes);
}
