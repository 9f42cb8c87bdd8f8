//! Early returns, which determine the threads that remain.

use super::Source;
use std::collections::BTreeSet;

impl Source<'_> {
    /// Returns the lines of the conditions of `if`s after which a thread leaves its function:
    /// `if (i >= n) return;`. For one in a loop, also the line of the loop's head, because the compiler may combine the
    /// two conditions.
    pub fn early_returns(&self) -> BTreeSet<u32> {
        let tokens = self.tokens();
        let heads = (0..tokens.count()).filter(|at| tokens.is(*at, b"if"));
        let lines = heads.filter(|head| self.returns(*head)).filter_map(|head| {
            let first = tokens.line(head);
            let around = self.loop_around(first).map(|around| around.head);
            Some((first..=tokens.line(self.condition(head)?.end)).chain(around))
        });
        lines.flatten().collect()
    }

    /// Returns whether the body of an `if` ends with a `return` without a value.
    fn returns(&self, head: usize) -> bool {
        let tokens = self.tokens();
        let Some(condition) = self.condition(head) else { return false };
        let end = tokens.statement_end(condition.end + 1);
        let last = if end > 0 && tokens.is(end - 1, b"}") { end - 1 } else { end };
        let leaves = last >= 2 && tokens.is(last - 2, b"return") && tokens.is(last - 1, b";");
        // What follows an `else` may be long, and is not looked at.
        let is_whole = !tokens.is(end, b"else");
        is_whole
            && leaves
            && last - 2 > condition.end
            && !(condition.end..last).any(|at| tokens.is(at, b"else"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_at_once_counts() {
        let source = "__global__ void f(int *a, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    if (i > 4 ||
        n < 2) {
        a[i] = 1;
        return;
    }
    if (i == 3) a[i] = 2;
    for (int k = 0; k < n; k++) {
        if (k == i) return;
    }
    if (n) return; else a[i] = 3;
    if (n > 9) { a[i] = 4; }
}
int g(int n) {
    if (n) return 1;
    return 0;
}
";
        let lines: Vec<u32> = Source::new(source).early_returns().into_iter().collect();
        assert_eq!(lines, [3, 4, 5, 10, 11]);
    }
}
