//! Finds out whether an index was read from memory, as in a gather or a scatter.

use cpp::{Source, assigned, closing, is_name_char, names, uses};

/// Maximum number of assignments that are followed from an index back to memory.
const STEPS: usize = 3;

/// An index that was read from memory.
#[derive(Debug, PartialEq)]
pub struct Gathered {
    /// The expression that it was read from, such as `idx[i]`.
    pub from: String,
    /// Whether the index is that value itself: nothing is added to it or subtracted.
    pub unchanged: bool,
}

/// Returns what the index of `name[…]` on a line is read from; `None` where it is computed, or where its origin is not
/// known.
pub fn index_from_memory(source: &Source, line: u32, name: &str) -> Option<Gathered> {
    let first = source.kernel_lines(line).map_or(1, |body| body.start);
    let text = statement(source, line)?;
    // Host code often calls a buffer by another name than the kernel.
    let bare =
        name.strip_prefix("d_").or(name.strip_prefix("dev_")).or(name.strip_suffix("_d")).unwrap_or(name);
    let index = subscripts(&text).into_iter().find(|(array, _)| *array == name || *array == bare)?.1;
    let above: Vec<&str> = (first..line).map(|line| source.code_line(line)).collect();
    read_from(index, &above, STEPS)
}

/// Returns a line and those after it, up to the end of its statement.
fn statement(source: &Source, from: u32) -> Option<String> {
    const LONGEST: u32 = 8;
    source.line(from)?;
    let mut text = String::new();
    for line in (from..from.saturating_add(LONGEST)).map(|line| source.code_line(line)) {
        text += line;
        text.push(' ');
        if line.trim_end().ends_with([';', '{', '}']) {
            break;
        }
    }
    Some(text)
}

/// Returns the array element that a value is read from: one in the expression, or one assigned to a variable in
/// it.
fn read_from(expression: &str, above: &[&str], steps: usize) -> Option<Gathered> {
    const OPERATORS: [char; 9] = ['+', '-', '*', '/', '%', '&', '|', '^', '~'];
    if let Some((array, index)) = subscripts(expression).first() {
        let unchanged = !expression.replacen(index, "", 1).contains(OPERATORS);
        return Some(Gathered { from: format!("{array}[{}]", index.trim()), unchanged });
    }
    let steps = steps.checked_sub(1)?;
    names(expression).find_map(|name| {
        let assigned =
            above.iter().enumerate().rev().find_map(|(n, line)| Some((n, assigned_to(line, name)?)));
        let (n, value) = assigned?;
        let its = read_from(value, above.get(..n)?, steps)?;
        Some(Gathered { unchanged: its.unchanged && !expression.contains(OPERATORS), ..its })
    })
}

/// Returns what a line assigns to a variable: the right side of `name = …`.
fn assigned_to<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    uses(line, name).find_map(|(_, behind)| assigned(behind))
}

/// Returns the arrays in a text, each with the text between its brackets; outermost subscripts only.
pub fn subscripts(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('[').map(|n| at + n) {
        let head = text[at..open].trim_end();
        let start = head
            .rfind(|c| !is_name_char(c))
            .map_or(0, |n| n + head[n..].chars().next().map_or(1, char::len_utf8));
        let Some(close) = closing(text[open..].bytes()).map(|n| open + n) else { break };
        let array = &head[start..];
        if !array.is_empty() {
            found.push((array, &text[open + 1..close]));
        }
        at = close + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_followed_to_where_it_was_read() {
        let source = "__global__ void f(const float *in, const int *idx, float *out, int n) {
    int i = threadIdx.x;
    int k = idx[i];  // which?
    int at = k * 4 + 1;
    out[idx[ i ]] = in[i];
    out[k] = in[at];
    atomicAdd(&out[
        idx[2]], in[n]);
    k = i;
    out[k] = 1;
    out[é] = idx[0];
}
";
        let source = Source::new(source);
        let from = |line, name| index_from_memory(&source, line, name).map(|its| its.from);
        assert_eq!(from(5, "out"), Some("idx[i]".into()));
        assert_eq!(from(5, "d_out"), Some("idx[i]".into()));
        assert_eq!(from(5, "in"), None);
        assert_eq!((from(6, "out"), from(6, "in")), (Some("idx[i]".into()), Some("idx[i]".into())));
        assert_eq!(from(7, "out"), Some("idx[2]".into()));
        assert_eq!((from(7, "in"), from(10, "out"), from(11, "out")), (None, None, None));
        assert_eq!((from(0, "out"), from(99, "out"), from(3, "absent")), (None, None, None));
        assert_eq!(index_from_memory(&Source::new("a["), 1, "a"), None);
        assert_eq!(index_from_memory(&Source::new("é]a[b["), 1, "a"), None);
    }
}
