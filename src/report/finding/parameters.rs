//! Compares a kernel's parameters with those in the lesson's starter: another order, or other types.

use crate::about::About;
use cpp::{Function, NumberType, Source};
use sim::{Access, Finding, FindingKind, Target};

/// A parameter as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    /// The declaration, such as `const float *in`.
    text: String,
    /// Empty if it has none.
    pub(super) name: String,
    /// The pointee type, where it is one of the common numeric types.
    element: Option<NumberType>,
}

/// A kernel's parameters in the lesson's starter, and in the learner's file.
struct Kernel {
    name: String,
    starter: Vec<Parameter>,
    own: Vec<Parameter>,
}

/// The kernels that have as many parameters as in the starter.
pub struct Parameters<'a> {
    kernels: Vec<Kernel>,
    source: &'a Source<'a>,
}

impl<'a> Parameters<'a> {
    pub fn new(about: &About<'a>) -> Parameters<'a> {
        // A program launches its kernels itself.
        let starter = if about.program { Vec::new() } else { kernels(&Source::new(about.starter)) };
        let own = if starter.is_empty() { Vec::new() } else { kernels(about.source) };
        let pair = |(name, starter): (String, Vec<Parameter>)| {
            let mut of_that_name = own.iter().filter(|(its_name, _)| *its_name == name);
            let (Some((_, own)), None) = (of_that_name.next(), of_that_name.next()) else { return None };
            (own.len() == starter.len()).then(|| Kernel { name, starter, own: own.clone() })
        };
        Parameters { kernels: starter.into_iter().filter_map(pair).collect(), source: about.source }
    }

    /// Returns the finding with the learner's parameter names for what the lesson passes, where the learner's
    /// names are the lesson's in another order.
    pub fn in_own_names(&self, finding: &Finding) -> Finding {
        let mut finding = finding.clone();
        for access in finding.sides_mut() {
            let Some(kernel) = self.of(access).filter(|kernel| kernel.is_out_of_order()) else { continue };
            if let Target::Buffer { name, .. } = &mut access.target
                && let Some(at) = kernel.starter.iter().position(|its| *its.name == **name)
            {
                *name = kernel.own[at].name.as_str().into();
                access.parameter = None;
            }
        }
        finding
    }

    /// Returns the context for findings under the learner's own names.
    pub fn about(&self, about: &About<'a>) -> About<'a> {
        let mut its = about.clone();
        for kernel in self.kernels.iter().filter(|kernel| kernel.is_out_of_order()) {
            for (starter, own) in kernel.starter.iter().zip(&kernel.own) {
                if let Some(bytes) = about.element_bytes.get(&starter.name) {
                    its.element_bytes.insert(own.name.clone(), *bytes);
                }
            }
        }
        its
    }

    /// Returns the remedy for a defect that the parameters explain.
    pub fn against(&self, finding: &Finding) -> Option<String> {
        let kernel = self.of(&finding.at)?;
        if let Some(text) = kernel.order() {
            return Some(text);
        }
        let by_size = matches!(
            finding.kind,
            FindingKind::OutOfBounds
                | FindingKind::Misaligned
                | FindingKind::Uninitialised
                | FindingKind::GlobalRace
        );
        let Target::Buffer { name, .. } = &finding.at.target else { return None };
        let at = kernel.starter.iter().position(|its| *its.name == **name)?;
        kernel.other_type(at).filter(|(bytes, _)| by_size && *bytes).map(|(_, text)| text)
    }

    /// Returns a clue to wrong values that the parameters may explain.
    pub fn clue(&self) -> Option<String> {
        let order = self.kernels.iter().find_map(Kernel::order);
        order.or_else(|| self.kernels.iter().find_map(Kernel::any_other_type))
    }

    /// Returns the kernel around an access.
    fn of(&self, access: &Access) -> Option<&Kernel> {
        let name = self.source.kernel_around(access.location.as_ref()?.line)?;
        self.kernels.iter().find(|kernel| kernel.name == name)
    }
}

impl Kernel {
    /// Returns whether a parameter has a name that the lesson has at another position.
    fn is_out_of_order(&self) -> bool {
        let moved = |(starter, own): (&Parameter, &Parameter)| {
            own.name != starter.name && self.starter.iter().any(|its| its.name == own.name)
        };
        self.starter.iter().zip(&self.own).any(moved)
    }

    fn order(&self) -> Option<String> {
        let names = |all: &[Parameter]| all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(", ");
        self.is_out_of_order().then(|| {
            format!(
                "Put the parameters in the lesson's order: it passes {}, but here they are {}.",
                names(&self.starter),
                names(&self.own)
            )
        })
    }

    /// Where a parameter points to another type than the lesson's: returns whether the sizes differ, and what to
    /// say.
    fn other_type(&self, at: usize) -> Option<(bool, String)> {
        let (starter, own) = (self.starter.get(at)?, self.own.get(at)?);
        let (wanted, got) = (starter.element?, own.element?);
        let sizes = match wanted.bytes == got.bytes {
            true => String::new(),
            false => format!(", whose elements have {} bytes, not {}", got.bytes, wanted.bytes),
        };
        (wanted != got).then(|| {
            let text = format!(
                "Declare `{}` as the lesson does, `{}`: here it is `{}`{sizes}.",
                starter.name, starter.text, own.text
            );
            (wanted.bytes != got.bytes, text)
        })
    }

    fn any_other_type(&self) -> Option<String> {
        (0..self.starter.len()).find_map(|at| self.other_type(at)).map(|(_, text)| text)
    }
}

/// Returns the kernels that are defined, with their parameters.
fn kernels(source: &Source) -> Vec<(String, Vec<Parameter>)> {
    source.kernels().map(|k| (source.name_of(k), parameters(&source.parameters_of(k)))).collect()
}

/// Returns the name of a parameter of the kernel that contains a line, if it is a pointer.
pub(super) fn pointer_parameter(source: &Source, line: u32, index: u32) -> Option<String> {
    pointer_parameter_of(source, source.kernel(line)?, index)
}

/// The same of a kernel.
pub(super) fn pointer_parameter_of(source: &Source, kernel: &Function, index: u32) -> Option<String> {
    let text = source.parameters_of(kernel);
    let its = parameters(&text).into_iter().nth(index as usize)?;
    let is_pointer = its.text.contains(['*', '[']) && !text.contains("...");
    (is_pointer && !its.name.is_empty()).then_some(its.name)
}

/// Splits the text between a function's parentheses into parameters.
pub(super) fn parameters(text: &str) -> Vec<Parameter> {
    let mut depth = 0i32;
    let parts = text.split(|c| {
        match c {
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).map(parameter).collect()
}

fn parameter(part: &str) -> Parameter {
    let declared = part.split('=').next().unwrap_or_default();
    let text = declared.split_whitespace().collect::<Vec<_>>().join(" ");
    let before_extent = declared.split('[').next().unwrap_or_default();
    let mut words: Vec<&str> =
        before_extent.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    let is_unnamed = before_extent.trim_end().ends_with(['*', '&']);
    let name = if is_unnamed { String::new() } else { words.pop().unwrap_or_default().to_owned() };
    let pointers = declared.matches(['*', '[']).count();
    let plain = !declared.contains(['<', ':', '&', '(']);
    let element = if pointers == 1 && plain { NumberType::of(&words) } else { None };
    Parameter { text, name, element }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim::{AccessKind, Actor, SourceLocation};
    use std::collections::BTreeMap;

    const STARTER: &str = "extern \"C\" __global__ void map(const float *in, float *out, int n) {\n}\n";

    fn about<'a>(source: &'a Source<'a>) -> About<'a> {
        About {
            starter: STARTER,
            program: false,
            element_bytes: BTreeMap::from([("in".into(), 4), ("out".into(), 4)]),
            ..About::program("map.cu", source)
        }
    }

    fn source(parameters: &str) -> String {
        format!("extern \"C\" __global__ void map({parameters}) {{\n  out[0] = in[0];\n}}\n")
    }

    fn finding(code: FindingKind, name: &str) -> Finding {
        let location = SourceLocation { file: "map.cu".into(), line: 2, column: 1 };
        let target = Target::Buffer { name: name.into(), size_bytes: 16, offset_bytes: 16 };
        let by = Access::by(Actor::Thread, Some(location));
        Finding::new(code, Access { kind: AccessKind::Write, bytes: 8, target, ..by })
    }

    #[test]
    fn what_the_lesson_passes_is_named_as_the_learner_does() {
        let text = source("float *out, const float *in, int n");
        let source = Source::new(&text);
        let parameters = Parameters::new(&about(&source));
        let renamed = parameters.in_own_names(&finding(FindingKind::ReadOnly, "in"));
        let Target::Buffer { name, .. } = &renamed.at.target else { panic!() };
        assert_eq!(&**name, "out");
        let expected =
            "Put the parameters in the lesson's order: it passes in, out, n, but here they are out, in, n.";
        assert_eq!(parameters.against(&renamed).as_deref(), Some(expected));
        assert_eq!(parameters.clue().as_deref(), Some(expected));
    }

    #[test]
    fn names_of_their_own_and_the_same_types_say_nothing() {
        for fine in [
            "const float *in, float *out, int n",
            "const float *a, float *b, int count",
            "const float *__restrict__ in, float out[], const int n",
            "const float4 *in, float *out, int n",
            "T *in, float *out, int n",
            "const float *in, float *out",
            "const float *, float *out, int",
            "const float4 *__restrict__, float *out, int n",
        ] {
            let text = source(fine);
            let source = Source::new(&text);
            let parameters = Parameters::new(&about(&source));
            assert_eq!(parameters.clue(), None, "{fine}");
            let stray = finding(FindingKind::OutOfBounds, "in");
            assert_eq!(parameters.against(&stray), None, "{fine}");
            assert_eq!(parameters.in_own_names(&stray), stray, "{fine}");
        }
    }

    #[test]
    fn another_type_is_told_where_it_explains_what_happened() {
        let text = source("const double *in, float *out, int n");
        let with = Source::new(&text);
        let parameters = Parameters::new(&about(&with));
        let expected = "Declare `in` as the lesson does, `const float *in`: here it is `const double *in`, whose \
                    elements have 8 bytes, not 4.";
        assert_eq!(parameters.clue().as_deref(), Some(expected));
        assert_eq!(parameters.against(&finding(FindingKind::OutOfBounds, "in")).as_deref(), Some(expected));
        assert_eq!(parameters.against(&finding(FindingKind::OutOfBounds, "out")), None);
        assert_eq!(parameters.against(&finding(FindingKind::ReadOnly, "in")), None);
        let text = source("const int *in, float *out, int n");
        let with = Source::new(&text);
        let parameters = Parameters::new(&about(&with));
        assert!(parameters.clue().unwrap().ends_with("here it is `const int *in`."));
        assert_eq!(parameters.against(&finding(FindingKind::OutOfBounds, "in")), None);
    }

    #[test]
    fn types_are_known_by_their_words() {
        let bytes = |text: &str| parameter(text).element.map(|element| element.bytes);
        for (text, size) in [
            ("unsigned char *p", Some(1)),
            ("unsigned char *", Some(1)),
            ("const short int *p", Some(2)),
            ("unsigned *p", Some(4)),
            ("unsigned long long *p", Some(8)),
            ("long *p", None),
            ("float **p", None),
            ("float p", None),
            ("std::vector<int> *p", None),
            ("__half *p", Some(2)),
            ("*p", None),
            ("", None),
        ] {
            assert_eq!(bytes(text), size, "{text}");
        }
        assert_ne!(parameter("__half *p").element, parameter("__nv_bfloat16 *p").element);
    }
}
