//! Rewrites statement expressions of GNU C, `({ int a = f(); a + 1; })`, which nvcc accepts as its host compiler does, to
//! lambdas that are called: `([&] { int a = f(); return a + 1; }())`. They are found in macros as well.

use cpp::{Source, is_name_char, names};

/// First words of statements that have no value.
const WITHOUT_VALUE: [&str; 9] =
    ["if", "else", "for", "while", "do", "switch", "break", "continue", "static_assert"];
/// Words that lead out of the function around, as they can't from a lambda.
const LEAVES: [&str; 4] = ["return", "goto", "co_return", "co_yield"];

/// Statement expressions within others are rewritten up to this depth.
const MAX_DEPTH: usize = 16;
/// How many times each character may be looked at in a pass, on average: brackets may be nested deeply.
const MAX_LOOKS: usize = 64;

/// Returns the rewritten text, with all lines where they were; `None` if nothing changes.
pub fn rewritten(text: &str) -> Option<String> {
    let mut changed: Option<String> = None;
    // Those inside others come with a later pass.
    for _ in 0..MAX_DEPTH {
        let Some(next) = rewrite_outermost(changed.as_deref().unwrap_or(text)) else { break };
        changed = Some(next);
    }
    changed
}

/// Rewrites the statement expressions that are not within others.
fn rewrite_outermost(text: &str) -> Option<String> {
    if !text.contains('{') {
        return None;
    }
    let source = Source::new(text);
    // As many characters as the text has, with blanks for those of comments and literals.
    let code: Vec<char> = source.code().chars().collect();
    let partners = partners(&code);
    let mut looks = MAX_LOOKS * code.len();
    // What is inserted before which character.
    let mut insertions: Vec<(usize, &str)> = Vec::new();
    let mut end = 0;
    for open in (1..code.len()).filter(|&at| code[at] == '{') {
        let Some(close) = partners[open].filter(|_| open >= end && before(&code, open) == Some('(')) else {
            continue;
        };
        let Some(left) = looks.checked_sub(close - open) else { break };
        looks = left;
        if let Some(last) = last_statement(&code, open, close) {
            insertions.extend([(open, "[&] "), (last, "return "), (close + 1, "()")]);
            end = close;
        }
    }
    if insertions.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 8 * insertions.len());
    let mut insertions = insertions.into_iter().filter(|(at, _)| *at != NOWHERE).peekable();
    for (at, c) in text.chars().enumerate() {
        while let Some((_, inserted)) = insertions.next_if(|(place, _)| *place == at) {
            out.push_str(inserted);
        }
        out.push(c);
    }
    insertions.for_each(|(_, inserted)| out.push_str(inserted));
    Some(out)
}

/// Returns for each opening bracket where the one is that closes it.
fn partners(code: &[char]) -> Vec<Option<usize>> {
    let (mut partners, mut open) = (vec![None; code.len()], Vec::new());
    for (at, c) in code.iter().enumerate() {
        match c {
            '{' | '(' | '[' => open.push(at),
            '}' | ')' | ']' => {
                if let Some(its) = open.pop() {
                    partners[its] = Some(at);
                }
            }
            _ => {}
        }
    }
    partners
}

/// The place of the last statement's value where it has none.
const NOWHERE: usize = usize::MAX;

/// If braces are a statement expression: where its last statement begins, or [`NOWHERE`] if that has no value.
fn last_statement(code: &[char], open: usize, close: usize) -> Option<usize> {
    if after(code, close + 1) != Some(')') {
        return None;
    }
    let (mut depth, mut start, mut last, mut ended) = (1usize, open + 1, None, false);
    for (at, &c) in code.iter().enumerate().take(close).skip(open + 1) {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => depth -= 1,
            _ => {}
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
    let (start, end) = last.filter(|_| ended)?;
    let body: String = code[open..close].iter().collect();
    if !body.contains(';') || names(&body).any(|word| LEAVES.contains(&word)) {
        return None;
    }
    let start = (start..close).find(|&at| !is_blank(code[at]))?;
    let word: String = code[start..close].iter().take_while(|c| is_name_char(**c)).collect();
    // What ends with a brace and begins like an expression is the last value of a list: `({1, [] { f(); }})`.
    if end == '}' && code[start] != '{' && word != "try" && !WITHOUT_VALUE.contains(&word.as_str()) {
        return None;
    }
    let has_value = end == ';' && !WITHOUT_VALUE.contains(&word.as_str());
    Some(if has_value { start } else { NOWHERE })
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
        let many = "x += ({ 1; });\n".repeat(20_000);
        assert_eq!(rewritten(&many).unwrap(), "x += ([&] { return 1; }());\n".repeat(20_000));
        let deep = "({".repeat(100_000);
        assert_eq!(rewritten(&(deep.clone() + " return 1; " + &"})".repeat(100_000))), None);
        assert_eq!(rewritten(&deep), None);
        for text in [
            "f({1, 2});",
            "x = max({a, b});",
            "f([&] { g(); });",
            "f({1, [&] { g(); }});",
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
