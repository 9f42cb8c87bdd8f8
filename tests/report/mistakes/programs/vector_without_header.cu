int main() {
    std::vector<float> x(8);
    return 0;
}
