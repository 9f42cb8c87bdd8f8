//! Rewrites statement expressions of GNU C, `({ int a = f(); a + 1; })`, which nvcc accepts as its host compiler does, to
//! lambdas that are called: `([&] { int a = f(); return a + 1; }())`. They are found in macros as well.

use cpp::{Source, is_name_char, names};

/// First words of statements that have no value.
const WITHOUT_VALUE: [&str; 9] =
    ["if", "else", "for", "while", "do", "switch", "break", "continue", "static_assert"];
/// Words that lead out of the function around, as they can't from a lambda.
const LEAVES: [&str; 4] = ["return", "goto", "co_return", "co_yield"];

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    let mut changed: Option<String> = None;
    // Those inside others come with a later pass.
    while let Some(next) = one_rewritten(changed.as_deref().unwrap_or(text)) {
        changed = Some(next);
    }
    changed
}

/// Rewrites the first statement expression that can be.
fn one_rewritten(text: &str) -> Option<String> {
    if !text.contains('{') {
        return None;
    }
    let source = Source::new(text);
    // As many characters as the text has, with blanks for those of comments and literals.
    let code: Vec<char> = source.code().chars().collect();
    let starts = (1..code.len()).filter(|&at| code[at] == '{' && before(&code, at) == Some('('));
    let [open, last, close] = starts.filter_map(|open| parts(&code, open)).next()?;
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.chars().enumerate() {
        if at == open {
            out.push_str("[&] ");
        }
        if at == last {
            out.push_str("return ");
        }
        out.push(c);
        if at == close {
            out.push_str("()");
        }
    }
    Some(out)
}

/// Returns the opening brace of a statement expression, the start of its last statement if that has a value, or else
/// the end of the text, and the closing brace.
fn parts(code: &[char], open: usize) -> Option<[usize; 3]> {
    let (mut depth, mut start, mut last, mut ended) = (0usize, open + 1, None, false);
    let mut close = None;
    for (at, &c) in code.iter().enumerate().skip(open) {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            close = Some(at);
            break;
        }
        let is_end = depth == 1 && (c == ';' || c == '}' && begins_statement(code, at + 1));
        if ended && !is_blank(c) {
            (start, ended) = (at, false);
        }
        if is_end {
            last = Some((start, c));
            ended = true;
        }
    }
    let close = close.filter(|&close| after(code, close + 1) == Some(')'))?;
    let (start, end) = last.filter(|_| ended)?;
    let body: String = code[open..close].iter().collect();
    if !body.contains(';') || names(&body).any(|word| LEAVES.contains(&word)) {
        return None;
    }
    let start = (start..close).find(|&at| !is_blank(code[at]))?;
    let word: String = code[start..close].iter().take_while(|c| is_name_char(**c)).collect();
    let has_value = end == ';' && !WITHOUT_VALUE.contains(&word.as_str());
    Some([open, if has_value { start } else { code.len() }, close])
}

/// Returns whether what follows a closing brace begins a statement, rather than going on with an expression.
fn begins_statement(code: &[char], from: usize) -> bool {
    after(code, from).is_some_and(|c| is_name_char(c) || matches!(c, '{' | '}' | '*' | '('))
}

/// A blank, or the end of a line of a macro.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\\'
}

fn before(code: &[char], at: usize) -> Option<char> {
    code[..at].iter().rev().copied().find(|c| !is_blank(*c))
}

fn after(code: &[char], from: usize) -> Option<char> {
    code[from..].iter().copied().find(|c| !is_blank(*c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_expression_becomes_a_lambda_that_is_called() {
        for (text, want) in [
            ("x = ({ int a = f(1, 2); a + 1; });", "x = ([&] { int a = f(1, 2); return a + 1; }());"),
            (
                "#define MAX(a, b) ({ \\\n  int a_ = (a); \\\n  a_; \\\n})\n",
                "#define MAX(a, b) ([&] { \\\n  int a_ = (a); \\\n  return a_; \\\n}())\n",
            ),
            ("f(({ g(\"é ({\"); }));", "f(([&] { return g(\"é ({\"); }()));"),
            ("({ for (;;) { h(); } })", "([&] { for (;;) { h(); } }())"),
            ("({ if (a) { b(); } c; })", "([&] { if (a) { b(); } return c; }())"),
            ("({ P p; P{1}.x; })", "([&] { P p; return P{1}.x; }())"),
            ("({ int a = ({ 1; }); a; })", "([&] { int a = ([&] { return 1; }()); return a; }())"),
        ] {
            assert_eq!(rewritten(text).as_deref(), Some(want));
        }
        for text in [
            "f({1, 2});",
            "x = max({a, b});",
            "f([&] { g(); });",
            "({ if (a) return 1; a; })",
            "// ({ 1; })",
            "({ 1;",
            "({",
            "({ 1; }",
            "for (auto x : {1, 2}) { g(); }",
        ] {
            assert_eq!(rewritten(text), None, "{text}");
        }
    }
}
