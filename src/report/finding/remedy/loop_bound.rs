//! Remedies for accesses past an end although the conditions before them compare with every extent.

use crate::about::About;
use cpp::uses;
use judge::course::{Case, Formula};
use std::ops::Range;

/// Returns what to ask where the conditions before an access compare with every extent of its matrix: either they
/// are combined wrongly, or the index is computed wrongly from what they let pass.
pub fn describe(name: &str, line: u32, about: &About) -> Option<String> {
    let shape = about.shapes.get(name).filter(|shape| shape.len() > 1)?;
    let body = about.source.kernel_lines(line)?;
    let conditions = conditions(body.start..line, line, name, about);
    shape.iter().all(|extent| is_compared_with(&conditions, extent.text())).then(|| {
        let sizes = about.case.and_then(|case| sizes(shape, case)).unwrap_or_default();
        let names = shape.iter().map(Formula::text).collect::<Vec<_>>().join(" × ");
        let is = if sizes.is_empty() { names } else { format!("{sizes} ({names})") };
        format!(
            "`{name}` is {is}. Does the condition before the access keep out every row and every column past that? And \
             does the index use the right variable for the row, and the right row length?"
        )
    })
}

/// Returns the text of the loops and conditions above a line, and on it up to the array.
fn conditions(above: Range<u32>, line: u32, name: &str, about: &About) -> String {
    let heads = above.filter(|line| about.source.names_on(*line, ["if", "for", "while"]));
    let mut text: String = heads.map(|line| about.source.code_line(line)).collect();
    let own = about.source.code_line(line);
    let to = own.find(&format!("{name}[")).unwrap_or(0);
    text.push_str(own.get(..to).unwrap_or_default());
    text
}

/// Returns whether a text has `< extent` or, as before a `return`, `>= extent`.
fn is_compared_with(text: &str, extent: &str) -> bool {
    uses(text, extent).any(|(before, _)| {
        let before = before.trim_end();
        before.ends_with('<') || before.ends_with(">=")
    })
}

/// Formats an array's extents as `2 × 5`.
fn sizes(shape: &[Formula], case: &Case) -> Option<String> {
    let extents = shape.iter().map(|extent| extent.value(case).ok().map(|n| n.to_string()));
    Some(extents.collect::<Option<Vec<_>>>()?.join(" × "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpp::Source;

    #[test]
    fn a_guard_that_holds_is_not_asked_for_again() {
        let tell = |before: &str, access: &str| {
            let source = format!("__global__ void f() {{\n{before}\n{access}\n}}\n");
            let source = Source::new(&source);
            let shape = ["rows", "inner"].map(|text| Formula::parse(text).unwrap());
            let mut about = About::program("a.cu", &source);
            about.shapes.insert("a".into(), shape.into());
            let case = [("rows", 2), ("inner", 5), ("cols", 7)].map(|(name, size)| (name.into(), size));
            let case = Case::from_iter(case);
            about.case = Some(&case);
            describe("a", 3, &about)
        };
        let found = tell("", "t = row < rows && k < inner ? a[row * cols + k] : 0;").unwrap();
        assert!(found.starts_with("`a` is 2 × 5 (rows × inner). Does the condition"), "{found}");
        assert!(
            tell("if (row >= rows) return; for (k = 0; k < inner; k++)", "x += a[row * cols + k];").is_some()
        );
        for (before, access) in [
            ("", "t = a[row * cols + k];"),
            ("", "t = row < rows ? a[row * cols + k] : 0;"),
            ("if (row < rows)", "t = a[k] * (k < inner);"),
            ("if (row < rows2 && k < inner)", "t = a[k];"),
        ] {
            assert_eq!(tell(before, access), None, "{before} {access}");
        }
    }
}
