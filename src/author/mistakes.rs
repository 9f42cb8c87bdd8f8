//! Mistakes in a lesson's own files that only show when several of them are combined.

use super::import::element;
use cpp::Source;
use judge::course::{Argument, AuthorError, ElementType, Lesson, Problem, line_of};
use std::collections::HashSet;
use std::path::Path;

/// Turns an error into a problem if it is a mistake in a file of the lesson: a reference that does not fit, or kernels
/// that do not compile. `None` if it is not; the environment is then at fault.
pub fn of_author(root: &Path, lesson: &Lesson, error: &anyhow::Error) -> Option<Problem> {
    let AuthorError { file, key, message } = error.downcast_ref()?;
    if !Path::new(file).starts_with(lesson.folder()) {
        return None;
    }
    let failure = error.chain().find_map(|cause| cause.downcast_ref().map(report::own_failure));
    let message = [Some(message.clone()).filter(|message| !message.is_empty()), failure];
    let line = key.as_ref().and_then(|key| line_in(root, lesson, key));
    Some(Problem::new(file, line, message.into_iter().flatten().collect::<Vec<_>>().join(": ")))
}

fn line_in(root: &Path, lesson: &Lesson, key: &str) -> Option<u32> {
    let text = std::fs::read_to_string(root.join(lesson.folder()).join("lesson.toml")).ok()?;
    line_of(&text, key)
}

/// Returns the buffers whose type is not the one that the lesson's own kernels take, as far as their declarations
/// name C types.
pub fn of_types(root: &Path, lesson: &Lesson) -> Vec<Problem> {
    let reference = lesson.reference_source.as_deref().map(|source| (lesson.reference_path(), source));
    let sources = [(lesson.solution_path(), &*lesson.solution), (lesson.kernel_path(), &*lesson.starter)];
    let mut found: Vec<Problem> = Vec::new();
    let mut told = HashSet::new();
    for (file, source) in sources.into_iter().chain(reference) {
        let source = Source::new(source);
        for kernel in source.kernels() {
            let name = source.name_of(kernel);
            let text = source.parameters_of(kernel);
            let parameters: Vec<&str> = text.split(',').collect();
            let launches = lesson.spec.launches.iter();
            for launch in launches.filter(|l| l.kernel == name && l.args.len() == parameters.len()) {
                for (argument, parameter) in launch.args.iter().zip(&parameters) {
                    let Argument::Buffer(buffer) = argument else { continue };
                    let Some(index) = lesson.spec.buffers.iter().position(|b| b.name == *buffer) else {
                        continue;
                    };
                    let ty = lesson.spec.buffers[index].ty;
                    if elements(parameter).is_none_or(|elements| elements == of_element(ty)) {
                        continue;
                    }
                    let key = format!("buffers[{index}].type");
                    let message = format!(
                        "{key}: `{}`, but \"{name}\" in {file} takes `{}`",
                        ty.c_name(),
                        parameter.split_whitespace().collect::<Vec<_>>().join(" ").escape_debug(),
                    );
                    let line = line_in(root, lesson, &key);
                    // Once per buffer, since the files repeat each other.
                    if told.insert(index) {
                        let file = lesson.folder() + "/lesson.toml";
                        found.push(Problem::new(&file, line, message));
                    }
                }
            }
        }
    }
    found
}

/// Returns the bytes of an element, and whether it is a float.
fn of_element(ty: ElementType) -> (usize, bool) {
    (ty.bytes(), ty.is_float())
}

/// Returns the same for the pointee of a parameter such as `const float *in`; `None` if it is not a C number
/// type.
fn elements(parameter: &str) -> Option<(usize, bool)> {
    let (ty, _) = parameter.split_once('*').filter(|(_, behind)| !behind.contains('*'))?;
    let words = ty.split_whitespace().filter(|word| !matches!(*word, "const" | "volatile"));
    element(&words.collect::<Vec<_>>().join(" ")).map(of_element)
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn elements_are_read_off_parameters() {
        for (parameter, wanted) in [
            ("const float *in", Some((4, true))),
            ("float const* __restrict__ in", Some((4, true))),
            ("unsigned *out", Some((4, false))),
            ("const unsigned char *", Some((1, false))),
            ("long long *sum", Some((8, false))),
            ("const float4 *in", None),
            ("float **rows", None),
            ("int n", None),
            ("const *x", None),
            ("", None),
        ] {
            assert_eq!(elements(parameter), wanted, "{parameter}");
        }
    }
}
