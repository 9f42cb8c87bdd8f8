//! A lesson at the sizes of one case: every formula evaluated.

use super::{
    Argument, Begins, Buffer, CallArguments, Case, CaseNumber, ElementType, Formula, InputContents, Numbers,
    SizedFill, Spec,
};
use crate::value::Values;
use sim::{Arg, Dim3, LaunchConfig};
use std::fmt;

/// Largest total size of a case's buffers in bytes.
const MAX_BYTES: u64 = 1 << 30;

/// A case with all formulas evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedCase {
    /// Extents of each buffer, slowest dimension first.
    pub shapes: Vec<Vec<usize>>,
    pub launches: Vec<SizedLaunch>,
    pub calls: Vec<SizedCall>,
    /// The bounds of each requirement.
    pub bars: Vec<SizedBar>,
    /// The initial contents of each buffer.
    pub contents: Vec<Content>,
    /// How many elements of each buffer are compared.
    pub first: Vec<ComparedCount>,
    /// The final contents of each buffer that the case itself states, if any.
    pub expected: Vec<Option<Values>>,
}

/// The contents of a buffer before the first launch.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Uninitialised: it must not be read.
    Uninitialised,
    Zero,
    /// Values drawn from the seed.
    Fill(SizedFill),
    Values(Values),
}

/// How many leading elements of an output are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedCount {
    All,
    Elements(usize),
    /// As many as the right value of the only element of another output, given by its index in [`Spec::buffers`].
    Of(usize),
}

/// The bounds of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizedBar {
    pub at_most: Option<u64>,
    pub at_least: Option<u64>,
}

/// A launch with its formulas evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedLaunch {
    pub kernel: String,
    pub config: LaunchConfig,
    pub args: Vec<SizedArgument>,
}

/// An argument of a kernel or a host function.
#[derive(Clone, Debug, PartialEq)]
pub enum SizedArgument {
    /// Index in [`Spec::buffers`].
    Buffer(usize),
    Value(Arg),
}

/// A call of a host function with its formulas evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct SizedCall {
    pub function: String,
    pub args: SizedCallArguments,
}

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum SizedCallArguments {
    Values(Vec<SizedArgument>),
    /// A command line, in which [`SEED`](super::SEED) is a placeholder for a number to be drawn.
    Words(Vec<String>),
}

impl SizedArgument {
    /// Returns the size of the kernel's parameter in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            SizedArgument::Buffer(_) => 8,
            SizedArgument::Value(arg) => arg.0.len(),
        }
    }
}

/// A problem with one key of `lesson.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyError {
    /// The key, such as `buffers[1].shape[0]`, with indices from 0.
    pub key: String,
    pub message: String,
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl std::error::Error for KeyError {}

impl KeyError {
    /// Returns whether the key is one that the lesson of a draft may lack.
    pub(super) fn may_be_missing_in_drafts(&self) -> bool {
        const KEYS: [&str; 2] = ["hints", "starter"];
        KEYS.contains(&self.key.split('[').next().unwrap_or_default())
    }
}

impl Spec {
    /// Evaluates every formula for `case`.
    ///
    /// # Errors
    ///
    /// Fails on the first formula that has no value or a value that is not allowed.
    pub fn sized(&self, case: &Case) -> Result<SizedCase, KeyError> {
        let sizes = Sizes { spec: self, case };
        let mut shapes = Vec::with_capacity(self.buffers.len());
        let mut bytes = 0u64;
        for (b, buffer) in self.buffers.iter().enumerate() {
            let mut elements = 1u64;
            let mut shape = Vec::with_capacity(buffer.shape.len());
            for (d, extent) in buffer.shape.iter().enumerate() {
                let extent = sizes.within(format!("buffers[{b}].shape[{d}]"), extent, 1, i32::MAX as i64)?;
                elements = elements.saturating_mul(extent as u64);
                shape.push(extent as usize);
            }
            bytes = bytes.saturating_add(elements.saturating_mul(buffer.ty.bytes() as u64));
            shapes.push(shape);
        }
        if bytes > MAX_BYTES {
            return Err(sizes.error("buffers".into(), format!("{bytes} bytes in all, more than {MAX_BYTES}")));
        }
        let mut contents = Vec::with_capacity(self.buffers.len());
        let mut first = Vec::with_capacity(self.buffers.len());
        let mut expected = Vec::with_capacity(self.buffers.len());
        for (b, (buffer, shape)) in self.buffers.iter().zip(&shapes).enumerate() {
            let elements = shape.iter().product();
            contents.push(sizes.content(b, buffer, elements)?);
            first.push(sizes.first(b, buffer, elements)?);
            let written = case.data.expected(&buffer.name);
            let key = || self.key_of_case(case, &format!("expected.{}", buffer.name));
            expected
                .push(written.map(|numbers| checked_values(numbers, buffer.ty, elements, key)).transpose()?);
        }
        Ok(SizedCase {
            contents,
            first,
            expected,
            shapes,
            launches: sizes.launches()?,
            calls: sizes.calls()?,
            bars: sizes.bars()?,
        })
    }

    /// Returns the key of a case's entry: `cases[2].in`.
    fn key_of_case(&self, case: &Case, name: &str) -> String {
        let index = self.cases.iter().position(|other| other == case);
        index.map_or("cases".into(), |index| format!("cases[{index}].{name}"))
    }

    fn unknown_buffer(&self, name: &str) -> String {
        let known: Vec<_> = self.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        format!(
            "no buffer is called \"{}\"; there are: {}. A number needs its type, such as \"n: i32\"",
            name.escape_debug(),
            known.join(", ")
        )
    }
}

/// Checks numbers that are written out for a buffer of `elements` elements, and returns them as type `ty`
/// represents them.
fn checked_values(
    numbers: &Numbers,
    ty: ElementType,
    elements: usize,
    key: impl Fn() -> String,
) -> Result<Values, KeyError> {
    let fail = |message: String| Err(KeyError { key: key(), message });
    let count = numbers.values.count();
    if count != elements {
        return fail(format!("a number for each of {elements} elements is needed, found {count}"));
    }
    let (lowest, highest) = ty.exact_integers();
    let misfit = match &numbers.values {
        Values::Int(all) if !ty.is_float() => {
            all.iter().find(|number| !(lowest..=highest).contains(*number)).map(i64::to_string)
        }
        Values::Float(_) if !ty.is_float() => Some("a number with a decimal point".to_owned()),
        values => {
            values.to_floats().iter().find(|n| n.is_finite() && n.abs() > ty.largest()).map(f64::to_string)
        }
    };
    match misfit {
        Some(number) => fail(format!("{number} does not fit {}", ty.c_name())),
        None => Ok(numbers.values.rounded(ty)),
    }
}

/// A lesson and the sizes at which its formulas are evaluated.
struct Sizes<'a> {
    spec: &'a Spec,
    case: &'a Case,
}

impl Sizes<'_> {
    fn content(&self, b: usize, buffer: &Buffer, elements: usize) -> Result<Content, KeyError> {
        if !buffer.role.is_input() {
            return Ok(if buffer.begins == Begins::Zero { Content::Zero } else { Content::Uninitialised });
        }
        let (key, fill) = match (self.case.data.input(&buffer.name), &buffer.fill) {
            (Some(InputContents::Numbers(numbers)), _) => {
                let key = || self.spec.key_of_case(self.case, &buffer.name);
                return checked_values(numbers, buffer.ty, elements, key).map(Content::Values);
            }
            (Some(InputContents::Fill(fill)), _) => (self.spec.key_of_case(self.case, &buffer.name), fill),
            (None, Some(fill)) => (format!("buffers[{b}].fill"), fill),
            (None, None) => {
                let message = "this input needs `fill`, or values in each case".into();
                return Err(self.error(format!("buffers[{b}]"), message));
            }
        };
        let fill = fill.sized(&|formula| self.value(key.clone(), formula))?;
        match fill.misfit_of(buffer.ty, elements) {
            Some(message) => Err(self.error(key, message)),
            None => Ok(Content::Fill(fill)),
        }
    }

    fn first(&self, b: usize, buffer: &Buffer, elements: usize) -> Result<ComparedCount, KeyError> {
        let Some(formula) = &buffer.compare.first else { return Ok(ComparedCount::All) };
        let key = format!("buffers[{b}].compare.first");
        if let Some(count) = self.spec.buffer_index(formula.text()) {
            let fits = count != b
                && self.spec.buffers[count].role.is_output()
                && !self.spec.buffers[count].ty.is_float()
                && self.spec.buffers[count].compare == Default::default();
            let message = "another output of whole numbers is needed, or a formula in the sizes".into();
            return if fits { Ok(ComparedCount::Of(count)) } else { Err(self.error(key, message)) };
        }
        self.within(key, formula, 0, elements as i64).map(|count| ComparedCount::Elements(count as usize))
    }

    fn calls(&self) -> Result<Vec<SizedCall>, KeyError> {
        let calls = self.spec.calls.iter().enumerate().map(|(c, call)| {
            let key = |a: usize| format!("calls[{c}].args[{a}]");
            let args = match &call.args {
                CallArguments::Values(values) => SizedCallArguments::Values(
                    values
                        .iter()
                        .enumerate()
                        .map(|(a, value)| self.sized_argument(key(a), value))
                        .collect::<Result<_, _>>()?,
                ),
                CallArguments::Words(words) => SizedCallArguments::Words(
                    words
                        .iter()
                        .enumerate()
                        .map(|(a, word)| word.filled(|formula| self.value(key(a), formula)))
                        .collect::<Result<_, _>>()?,
                ),
            };
            Ok(SizedCall { function: call.function.clone(), args })
        });
        calls.collect()
    }

    fn sized_argument(&self, key: String, argument: &Argument) -> Result<SizedArgument, KeyError> {
        match argument {
            Argument::Buffer(name) => {
                let unknown = || KeyError { key, message: self.spec.unknown_buffer(name) };
                self.spec.buffer_index(name).map(SizedArgument::Buffer).ok_or_else(unknown)
            }
            Argument::Value { formula, ty } => self.argument(key, formula, *ty),
        }
    }

    fn launches(&self) -> Result<Vec<SizedLaunch>, KeyError> {
        let mut launches = Vec::with_capacity(self.spec.launches.len());
        for (l, launch) in self.spec.launches.iter().enumerate() {
            let key = format!("launches[{l}]");
            let grid = self.extent(format!("{key}.grid"), &launch.grid)?;
            let block = self.extent(format!("{key}.block"), &launch.block)?;
            if block.count() > 1024 {
                let message = format!("{} threads in a block; at most 1024 fit", block.count());
                return Err(self.error(format!("{key}.block"), message));
            }
            let dynamic_shared_bytes = match &launch.shared_bytes {
                Some(bytes) => self.within(format!("{key}.shared_bytes"), bytes, 0, 227 << 10)? as u32,
                None => 0,
            };
            let args = launch.args.iter().enumerate();
            let args = args.map(|(a, argument)| self.sized_argument(format!("{key}.args[{a}]"), argument));
            launches.push(SizedLaunch {
                kernel: launch.kernel.clone(),
                config: LaunchConfig { grid, block, dynamic_shared_bytes },
                args: args.collect::<Result<_, _>>()?,
            });
        }
        Ok(launches)
    }

    fn bars(&self) -> Result<Vec<SizedBar>, KeyError> {
        let bars = self.spec.requirements.iter().enumerate().map(|(r, requirement)| {
            let bound = |name: &str, formula: &Option<Formula>| {
                let key = format!("requirements[{r}].{name}");
                let value = formula.as_ref().map(|formula| self.within(key, formula, 0, i64::MAX));
                value.transpose().map(|value| value.map(|value| value as u64))
            };
            Ok(SizedBar {
                at_most: bound("at_most", &requirement.at_most)?,
                at_least: bound("at_least", &requirement.at_least)?,
            })
        });
        bars.collect()
    }

    fn error(&self, key: String, message: String) -> KeyError {
        KeyError { key, message: format!("{message} (case {})", self.case) }
    }

    fn value(&self, key: String, formula: &Formula) -> Result<i64, KeyError> {
        let named = |name: &str| {
            self.case.get(name).or(self.spec.constants.get(name)).copied().ok_or_else(|| {
                if let Some(number) = self.case.number(name) {
                    return format!(
                        "{name} is {number}: with a decimal point it can only be an argument of type f32 or f64"
                    );
                }
                let known: Vec<&str> = self.case.keys().chain(self.spec.constants.keys()).collect();
                format!("unknown name \"{name}\"; the case has: {}", known.join(", "))
            })
        };
        formula.value_with(&named).map_err(|error| self.error(key, error.to_string()))
    }

    fn within(&self, key: String, formula: &Formula, low: i64, high: i64) -> Result<i64, KeyError> {
        let value = self.value(key.clone(), formula)?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let (text, bound) = (formula.text().escape_debug(), if value < low { low } else { high });
        let word = if value < low { "less" } else { "more" };
        Err(self.error(key, format!("\"{text}\" is {value}, {word} than {bound}")))
    }

    /// Evaluates one to three extents, x first.
    fn extent(&self, key: String, formulas: &[Formula]) -> Result<Dim3, KeyError> {
        let mut extents = [1u32; 3];
        if formulas.is_empty() || formulas.len() > 3 {
            return Err(KeyError { key, message: "one to three extents are needed, x first".into() });
        }
        for (i, (extent, formula)) in extents.iter_mut().zip(formulas).enumerate() {
            *extent = self.within(format!("{key}[{i}]"), formula, 1, i32::MAX as i64)? as u32;
        }
        Ok(Dim3::new(extents[0], extents[1], extents[2]))
    }

    /// Converts a decimal number to the argument's type.
    fn decimal(
        &self,
        key: String,
        formula: &Formula,
        value: f64,
        ty: ElementType,
    ) -> Result<SizedArgument, KeyError> {
        let argument: Arg = match ty {
            ElementType::F64 => value.into(),
            // Reference and learner must compute with the same number.
            ElementType::F32 if f64::from(value as f32) == value => (value as f32).into(),
            ElementType::F32 => {
                let text = formula.text().escape_debug();
                let message = format!("\"{text}\" is {value}, which float can't hold: use one such as 2.5");
                return Err(self.error(key, message));
            }
            _ => return Err(self.error(key, format!("{} can't be an argument", ty.c_name()))),
        };
        Ok(SizedArgument::Value(argument))
    }

    fn argument(&self, key: String, formula: &Formula, ty: ElementType) -> Result<SizedArgument, KeyError> {
        if let (Some(CaseNumber::Decimal(value)), true) = (self.case.number(formula.text()), ty.is_float()) {
            return self.decimal(key, formula, value, ty);
        }
        let value = self.value(key.clone(), formula)?;
        let (low, high) = ty.exact_integers();
        if !(low..=high).contains(&value) {
            let text = formula.text().escape_debug();
            return Err(self.error(key, format!("\"{text}\" is {value}, which {} can't hold", ty.c_name())));
        }
        match ty {
            ElementType::F16 | ElementType::Bf16 => {
                Err(self.error(key, format!("{} can't be an argument", ty.c_name())))
            }
            _ => Ok(SizedArgument::Value(Arg(Values::Int(vec![value]).encode(ty)))),
        }
    }
}
