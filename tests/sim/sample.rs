//! The head of a sample: `//` lines of the form `key: value`; other lines are prose.
//!
//! | line | says |
//! |------|------|
//! | `launch: grid 2,3 block 64 shared 256` | extents, and bytes of dynamic shared memory |
//! | `cooperative: yes` | all blocks may wait for each other |
//! | `multiprocessors: 4` | of the GPU, 1 by default |
//! | `arch: 90` | the least compute capability, 75 by default |
//! | `options: -Dx` | more options of the compiler |
//! | `in a: f32 64 = i * 0.5` | a buffer: element type, count, and its value at `i` |
//! | `inout`, `out` | as `in`; `out` starts unwritten |
//! | `arg n: i32 = 50` | a scalar; `struct i8=-3 f64=0.5` one passed by value |
//! | `expect y[i] = … ~ 1e-6` | what `y` holds, perhaps within a tolerance (relative above 1) |
//! | `expect y = 1 2 3` | the same as a list |
//! | `print: …` | a line of output; `finding: T001` a finding's code, `note: …` what it says |
//! | `calls: 9 14` | lines that call the function of the first finding, from the inside out |
//! | `names: y` | the buffer or variable that the first finding is about |
//! | `advice: P001 N001` | the codes of the advice that it gets, none for nothing |
//! | `count load_requests: 4` | the value of a counter |
//! | `strict floats: yes` | as of `--strict-floats` |
//!
//! Arguments are passed in the order of their lines.

use super::expression::{self, Expression, Value};
use gpulearn::sim::{Dim3, LaunchConfig};
use half::{bf16, f16};
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Element { I8, U8, I16, U16, I32, U32, I64, U64, F16, Bf16, F32, F64 }

impl Element {
    fn parse(text: &str) -> Result<Element, String> {
        Ok(match text {
            "i8" => Element::I8,
            "u8" => Element::U8,
            "i16" => Element::I16,
            "u16" => Element::U16,
            "i32" => Element::I32,
            "u32" => Element::U32,
            "i64" => Element::I64,
            "u64" => Element::U64,
            "f16" => Element::F16,
            "bf16" => Element::Bf16,
            "f32" => Element::F32,
            "f64" => Element::F64,
            _ => return Err(format!("{text:?} is no element type")),
        })
    }

    pub fn bytes(self) -> usize {
        match self {
            Element::I8 | Element::U8 => 1,
            Element::I16 | Element::U16 | Element::F16 | Element::Bf16 => 2,
            Element::I32 | Element::U32 | Element::F32 => 4,
            Element::I64 | Element::U64 | Element::F64 => 8,
        }
    }

    pub fn encode(self, value: Value) -> Vec<u8> {
        match self {
            Element::F16 => f16::from_f64(value.float()).to_le_bytes().to_vec(),
            Element::Bf16 => bf16::from_f64(value.float()).to_le_bytes().to_vec(),
            Element::F32 => (value.float() as f32).to_le_bytes().to_vec(),
            Element::F64 => value.float().to_le_bytes().to_vec(),
            _ => value.int().to_le_bytes()[..self.bytes()].to_vec(),
        }
    }

    /// `bytes` are as many as the element has.
    pub fn decode(self, bytes: &[u8]) -> Value {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let raw = u64::from_le_bytes(wide);
        match self {
            Element::I8 => Value::Int(raw as i8 as i64),
            Element::I16 => Value::Int(raw as i16 as i64),
            Element::I32 => Value::Int(raw as i32 as i64),
            Element::F16 => Value::Float(f16::from_bits(raw as u16).to_f64()),
            Element::Bf16 => Value::Float(bf16::from_bits(raw as u16).to_f64()),
            Element::F32 => Value::Float(f32::from_bits(raw as u32).into()),
            Element::F64 => Value::Float(f64::from_bits(raw)),
            _ => Value::Int(raw as i64),
        }
    }
}

#[derive(Debug)]
pub struct Buffer {
    pub name: String,
    pub element: Element,
    pub count: usize,
    /// `None`: never written.
    pub initial: Option<Vec<Value>>,
}

#[derive(Debug)]
pub enum Argument {
    Buffer(Buffer),
    Scalar(Vec<u8>),
}

#[derive(Debug)]
enum Rule {
    Formula(Expression),
    List(Vec<Value>),
}

#[derive(Debug)]
pub struct Expectation {
    rule: Rule,
    tolerance: Option<f64>,
}

impl Expectation {
    pub fn value(&self, sample: &Sample, index: usize) -> Result<Value, String> {
        match &self.rule {
            Rule::Formula(formula) => formula.value(&sample.inputs, index as i64),
            Rule::List(values) => values.get(index).copied().ok_or(format!("nothing is expected at {index}")),
        }
    }

    /// Not every bit is fixed.
    pub fn has_tolerance(&self) -> bool {
        self.tolerance.is_some()
    }

    /// The same bits after rounding to the element's type, any NaN for a NaN, or within the tolerance.
    pub fn accepts(&self, element: Element, got: Value, expected: Value) -> bool {
        if let Some(tolerance) = self.tolerance {
            let (got, expected) = (got.float(), expected.float());
            return got == expected || (got - expected).abs() <= tolerance * expected.abs().max(1.0);
        }
        let rounded = element.decode(&element.encode(expected));
        match (got, rounded) {
            (Value::Float(got), Value::Float(rounded)) if rounded.is_nan() => got.is_nan(),
            (Value::Float(got), Value::Float(rounded)) => got == rounded,
            (got, rounded) => got.int() == rounded.int(),
        }
    }
}

#[derive(Debug)]
pub struct Sample {
    pub launch: LaunchConfig,
    pub cooperative: bool,
    pub multiprocessors: u32,
    /// The least that it needs.
    pub least_capability: (u32, u32),
    pub options: Vec<String>,
    pub arguments: Vec<Argument>,
    /// What expressions may refer to.
    pub inputs: HashMap<String, Vec<Value>>,
    pub expectations: HashMap<String, Expectation>,
    pub printed: String,
    pub findings: Vec<String>,
    /// What findings must say.
    pub notes: Vec<String>,
    /// Lines, separated by spaces: from where the first finding's function is called.
    pub calls: Option<String>,
    /// What the first finding's address is an address of.
    pub names: Option<String>,
    /// Codes of advice that must be given, and no others.
    pub advice: Option<Vec<String>>,
    pub strict_floats: bool,
    /// Counters by name, with what they must come to.
    pub counts: Vec<(String, u64)>,
}

impl Sample {
    pub fn parse(source: &str) -> Result<Sample, String> {
        let one = Dim3::new(1, 1, 1);
        let mut sample = Sample {
            launch: LaunchConfig { grid: one, block: one, dynamic_shared_bytes: 0 },
            cooperative: false,
            multiprocessors: 1,
            least_capability: (7, 5),
            options: Vec::new(),
            arguments: Vec::new(),
            inputs: HashMap::new(),
            expectations: HashMap::new(),
            printed: String::new(),
            findings: Vec::new(),
            notes: Vec::new(),
            calls: None,
            names: None,
            advice: None,
            strict_floats: false,
            counts: Vec::new(),
        };
        for line in source.lines().map_while(|line| line.strip_prefix("//")) {
            sample.line(line.trim_start()).map_err(|message| format!("{line:?}: {message}"))?;
        }
        let expected =
            !sample.expectations.is_empty() || !sample.findings.is_empty() || !sample.printed.is_empty();
        if expected { Ok(sample) } else { Err("expects nothing".into()) }
    }

    /// Type of a buffer's elements; i64 where there is no such buffer.
    pub fn element(&self, name: &str) -> Element {
        let of_name = self.arguments.iter().find_map(|argument| match argument {
            Argument::Buffer(buffer) if buffer.name == name => Some(buffer.element),
            _ => None,
        });
        of_name.unwrap_or(Element::I64)
    }

    fn line(&mut self, line: &str) -> Result<(), String> {
        if let Some(expectation) = line.strip_prefix("expect ") {
            return self.expect(expectation);
        }
        let Some((key, value)) = line.split_once(':') else { return Ok(()) };
        let value = value.strip_prefix(' ').unwrap_or(value);
        match key.split_once(' ').map_or((key, ""), |(first, name)| (first, name)) {
            ("launch", "") => self.launch = launch(value)?,
            ("cooperative", "") => self.cooperative = value == "yes",
            ("multiprocessors", "") => {
                self.multiprocessors = value.parse().map_err(|_| "is no number of multiprocessors")?;
            }
            ("arch", "") => {
                let both: u32 = value.parse().map_err(|_| "is no compute capability")?;
                self.least_capability = (both / 10, both % 10);
            }
            ("options", "") => self.options = value.split_whitespace().map(str::to_string).collect(),
            ("in" | "inout" | "out", name) => self.buffer(name, value)?,
            ("arg", name) => self.scalar(name, value)?,
            ("print", "") => self.printed.push_str(&format!("{value}\n")),
            ("names", "") => self.names = Some(value.to_string()),
            ("note", "") => self.notes.push(value.to_string()),
            ("calls", "") => self.calls = Some(value.to_string()),
            ("finding", "") => self.findings.push(value.to_string()),
            ("advice", "") => self.advice = Some(value.split_whitespace().map(String::from).collect()),
            ("count", name) => {
                let value = value.parse().map_err(|_| "is no count")?;
                self.counts.push((name.to_string(), value));
            }
            ("strict", "floats") => self.strict_floats = value == "yes",
            _ => {}
        }
        Ok(())
    }

    fn buffer(&mut self, name: &str, text: &str) -> Result<(), String> {
        let (declaration, formula) = text
            .split_once(" = ")
            .map_or((text, None), |(declaration, formula)| (declaration, Some(formula)));
        let (element, count) = declaration.split_once(' ').ok_or("lacks a count")?;
        let element = Element::parse(element)?;
        let count: usize = count.parse().map_err(|_| "has a count that is no number")?;
        let initial = formula
            .map(|formula| -> Result<Vec<Value>, String> {
                let formula = Expression::parse(formula)?;
                (0..count)
                    .map(|i| {
                        let value = formula.value(&self.inputs, i as i64)?;
                        Ok(element.decode(&element.encode(value)))
                    })
                    .collect()
            })
            .transpose()?;
        if let Some(values) = &initial {
            self.inputs.insert(name.to_string(), values.clone());
        }
        self.arguments.push(Argument::Buffer(Buffer { name: name.to_string(), element, count, initial }));
        Ok(())
    }

    fn scalar(&mut self, name: &str, text: &str) -> Result<(), String> {
        if let Some(fields) = text.strip_prefix("struct ") {
            let mut bytes = Vec::new();
            let mut align = 1;
            for field in fields.split_whitespace() {
                let (element, value) = field.split_once('=').ok_or("has a field without a value")?;
                let element = Element::parse(element)?;
                align = align.max(element.bytes());
                bytes.resize(bytes.len().next_multiple_of(element.bytes()), 0);
                bytes.extend(element.encode(expression::constant(value)?));
            }
            bytes.resize(bytes.len().next_multiple_of(align), 0);
            self.arguments.push(Argument::Scalar(bytes));
            return Ok(());
        }
        let (element, value) = text.split_once(" = ").ok_or("lacks a value")?;
        let (element, value) = (Element::parse(element)?, expression::constant(value)?);
        self.inputs.insert(name.to_string(), vec![value]);
        self.arguments.push(Argument::Scalar(element.encode(value)));
        Ok(())
    }

    fn expect(&mut self, text: &str) -> Result<(), String> {
        let (target, rule) = text.split_once(" = ").ok_or("lacks what is expected")?;
        let (rule, tolerance) = match rule.rsplit_once(" ~ ") {
            Some((rule, tolerance)) => {
                (rule, Some(tolerance.parse().map_err(|_| "has a tolerance that is no number")?))
            }
            None => (rule, None),
        };
        let (name, rule) = match target.strip_suffix("[i]") {
            Some(name) => (name, Rule::Formula(Expression::parse(rule)?)),
            None => {
                let values = rule.split_whitespace().map(expression::constant).collect::<Result<_, _>>()?;
                (target, Rule::List(values))
            }
        };
        self.expectations.insert(name.to_string(), Expectation { rule, tolerance });
        Ok(())
    }
}

fn launch(text: &str) -> Result<LaunchConfig, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let one = Dim3::new(1, 1, 1);
    let mut config = LaunchConfig { grid: one, block: one, dynamic_shared_bytes: 0 };
    for pair in words.chunks(2) {
        let [what, value] = pair else { return Err("has a word without a number".into()) };
        let numbers: Vec<u32> = value
            .split(',')
            .map(|n| n.parse().map_err(|_| format!("{value:?}")))
            .collect::<Result<_, _>>()?;
        let axis = |k: usize| numbers.get(k).copied().unwrap_or(1);
        match *what {
            "grid" => config.grid = Dim3::new(axis(0), axis(1), axis(2)),
            "block" => config.block = Dim3::new(axis(0), axis(1), axis(2)),
            "shared" => config.dynamic_shared_bytes = axis(0),
            _ => return Err(format!("{what:?} is unknown")),
        }
    }
    Ok(config)
}
