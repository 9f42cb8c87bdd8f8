// The value of an optional is used where there is one.
#include <cstdio>
#include <optional>

std::optional<int> find(const int *of, int n, int wanted) {
    for (int i = 0; i < n; i++)
        if (of[i] == wanted) return i;
    return std::nullopt;
}

struct Named {
    int number;
};

int main() {
    int values[] = {3, 1, 4};
    printf("%d\n", *find(values, 3, 4));
    const auto found = find(values, 3, 5);
    if (found) printf("%d\n", *found);
    printf("%d %d\n", found.value_or(-1), found == std::optional<int>());
    std::optional<Named> named;
    named = Named{7};
    named->number++;
    printf("%d\n", (*named).number);
}
