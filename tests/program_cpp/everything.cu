#include <bits/stdc++.h>
using namespace std;

int main() {
    vector<int> v = {3, 1, 2};
    sort(v.begin(), v.end());
    map<string, int> m;
    for (int x : v) m[to_string(x)] += max(x, 2);
    for (auto &[k, n] : m) cout << k << ' ' << n << '\n';
    cout << min(4, 3) << ' ' << abs(-2.5) << ' ' << fixed << setprecision(2) << sqrt(2.0) << ' ' << pow(2, 10) << endl;
    auto t = make_tuple(1, 2);
    swap(get<0>(t), get<1>(t));
    cout << get<0>(t) << accumulate(v.begin(), v.end(), 0) << '\n';
}
