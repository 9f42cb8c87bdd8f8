//! Detects a forgotten `__shared__`: an array private to each thread that the block should share.

use cpp::Source;
use judge::Failure;
use sim::{FindingKind, Target};

/// Returns what to say about a failure that an array without `__shared__` explains: the cause, and what to write.
pub fn describe(failure: &Failure, source: &Source) -> Option<[String; 2]> {
    let explains = match failure {
        Failure::Wrong(_) | Failure::Work { .. } => true,
        Failure::Defect { findings, .. } => findings.first().is_some_and(|first| {
            first.kind == FindingKind::Undefined
                || matches!(first.at.target, Target::Local { .. })
                    && matches!(first.kind, FindingKind::Uninitialised | FindingKind::LocalOutOfBounds)
        }),
        _ => false,
    };
    let array = source.array_without_shared().filter(|_| explains)?;
    let (name, line, declaration) = (array.name, array.line, array.declaration);
    Some([
        format!(
            "`{name}` (line {line}) is not __shared__: each thread has its own array, and sees only what it stored \
             there itself."
        ),
        format!("Declare it for the whole block: __shared__ {declaration};"),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_it_explains_is_told() {
        let text = "__global__ void f(float *a) {\n    float s[32];\n    s[threadIdx.x] = a[0];\n    \
                    __syncthreads();\n    a[1] = s[2];\n}\n";
        let source = Source::new(text);
        let work = Failure::Work { bars: Vec::new(), case: judge::JudgedCase::default() };
        let [what, write] = describe(&work, &source).unwrap();
        assert!(what.starts_with("`s` (line 2) is not __shared__"), "{what}");
        assert!(write.ends_with("__shared__ float s[32];"), "{write}");
        assert_eq!(describe(&Failure::Limit(judge::ToolLimit::ChangingValues), &source), None);
        let shared = text.replace("float s[32]", "__shared__ float s[32]");
        assert_eq!(describe(&work, &Source::new(&shared)), None);
    }
}
