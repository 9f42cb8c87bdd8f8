//~ calls: __gpulearn_try
int main() {
    try {
        return 1;
    } catch (int number) {
        return number;
    }
}
