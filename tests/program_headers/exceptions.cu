//~ refused: exceptions are not to be had here
int main() {
    try {
        return 1;
    } catch (int number) {
        return number;
    }
}
