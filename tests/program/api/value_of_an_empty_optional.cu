// The value of an optional is used where nothing was found.
// exit: stopped
#include <cstdio>
#include <optional>

std::optional<int> find(const int *of, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (of[i] == wanted) return i;
    return std::nullopt;
}

int main() {
    int values[] = {3, 1, 4};
    printf("%d\n", *find(values, 3, 4));
    printf("%d\n", *find(values, 3, 5)); //~ H014
}
