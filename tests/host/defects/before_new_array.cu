// A statement's own write in front of an array, which is no number of its elements.
// note: The address is 8 bytes before the start of the 24 bytes that were allocated.
//> 3
int main() {
    double *all = new double[3];
    all[0] = 1;
#ifdef FIXED
    all[2] = 3;
#else
    all[-1] = 3; //~ H001
    all[2] = 3;
#endif
    printf("%d\n", (int)all[2]);
    delete[] all;
}
