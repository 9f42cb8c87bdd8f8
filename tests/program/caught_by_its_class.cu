// exit: 7
// The handler of the class that is thrown, of several: it has the variables of main as they were when it was thrown.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Failed : std::runtime_error {
    int code;
    Failed(int c, const std::string &what) : std::runtime_error(what), code(c) {}
};
struct Plain {};

int checked(const std::vector<int> &values, int i) {
    std::string name = "value number " + std::to_string(i);
    if (values[i] < 0) throw Failed(values[i] + 10, name + " is negative");
    if (values[i] > 100) throw Plain();
    return values[i];
}

int main() {
    std::vector<int> values = {1, 2, 3, -3, 5};
    int sum = 0, calls = 0;
    try {
        for (int i = 0; i < 5; i++) {
            calls++;
            sum += checked(values, i);
        }
        printf("all: %d\n", sum);
    } catch (const std::out_of_range &) {
        return 1;
    } catch (const Failed &e) {
        printf("%s after %d calls, sum %d\n", e.what(), calls, sum);
        return e.code;
    } catch (const std::exception &e) {
        printf("%s\n", e.what());
        return 2;
    } catch (...) {
        return 3;
    }
    return 0;
}
