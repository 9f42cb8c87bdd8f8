//! A reference in Python: run once, with the inputs generated for the cases; its outputs are stored.

use super::starter::{Entry, Passed};
use anyhow::{Context, Result, bail, ensure};
use compiler::digest::{hex, sha256};
use judge::course::{Course, ElementType, Lesson, Problem};
use judge::{Options, Values};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name of the reference in the imported folder and in the lesson's.
pub const FILE: &str = "reference.py";
/// Start of the files with its outputs.
const DIGEST: &str = "# reference.py ";
/// Numbers per line of a file.
const IN_A_LINE: usize = 10;

/// The results of a run.
pub struct Stored {
    /// Files by name, for the lesson's folder.
    pub files: Vec<(String, String)>,
    /// Cases in the syntax of lesson.toml.
    pub cases: Vec<String>,
}

/// Calls the reference's function with arrays, and writes the outputs as text, one line each.
const SCRIPT: &str = r#"
import importlib.util, inspect, json, sys
try:
    import numpy
except ImportError:
    sys.exit("numpy is needed for reference.py: pip install numpy")
task = json.load(sys.stdin)
spec = importlib.util.spec_from_file_location("reference", task["file"])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
function = getattr(module, task["function"], None) or getattr(module, "reference", None)
if function is None:
    sys.exit("reference.py has no function " + task["function"])
arguments = {}
for one in task["arguments"]:
    if "values" in one:
        values = [float(v) if isinstance(v, str) else v for v in one["values"]]
        arguments[one["name"]] = numpy.array(values, dtype=one["type"]).reshape(one["shape"])
    else:
        arguments[one["name"]] = one["value"]
wanted = inspect.signature(function).parameters
given = function(**{name: value for name, value in arguments.items() if name in wanted}) \
    if all(name in arguments for name in wanted) else function(*arguments.values())
outputs = task["outputs"]
if given is not None:
    given = given if isinstance(given, (tuple, list)) and len(outputs) > 1 else [given]
    if len(given) != len(outputs):
        sys.exit("reference.py returns %d arrays, but there are %d outputs" % (len(given), len(outputs)))
    for name, values in zip(outputs, given):
        values = numpy.asarray(values)
        if values.size != arguments[name].size:
            sys.exit("%s has %d elements, but reference.py returns %d" % (name, arguments[name].size, values.size))
        arguments[name] = values.astype(arguments[name].dtype)
with open(task["into"], "w") as file:
    for name in outputs:
        file.write(" ".join(repr(v) for v in arguments[name].reshape(-1).tolist()) + "\n")
"#;

/// Returns the SHA-256 of a reference, in hexadecimal.
fn digest(text: &str) -> String {
    hex(&sha256(text.as_bytes()))
}

/// Runs `reference` for every case of the lesson whose lesson.toml is `toml`.
///
/// # Errors
///
/// Fails if the lesson.toml is invalid, if a parameter is no buffer of the lesson, or if Python or `reference` fails.
pub fn store(python: &Path, folder: &Path, toml: &str, entry: &Entry, reference: &str) -> Result<Stored> {
    let temporary = (tempfile::Builder::new().prefix("gpulearn-import-").tempdir())
        .context("can't create a temporary folder")?;
    let place = temporary.path();
    let lesson = lesson(place, toml)?;
    let mut stored = Stored { files: Vec::new(), cases: Vec::new() };
    for (number, case) in lesson.spec.cases.iter().enumerate() {
        let sized = lesson.spec.sized(case)?;
        let initial = judge::initial_values(&lesson, number, Options::default().seed)?;
        let (mut arguments, mut outputs, mut given) = (Vec::new(), Vec::new(), String::new());
        for parameter in &entry.parameters {
            let name = &parameter.name;
            arguments.push(match &parameter.passed {
                Passed::Size => json!({ "name": name, "value": case.get(name) }),
                Passed::Number => json!({ "name": name, "value": 1.0 }),
                Passed::Buffer { role } => {
                    let (index, buffer) = (lesson.spec.buffers.iter().enumerate())
                        .find(|(_, buffer)| buffer.name == *name)
                        .with_context(|| format!("no buffer {name}"))?;
                    let shape = &sized.shapes[index];
                    let values = match &initial[index] {
                        Some(values) => values.clone(),
                        None => Values::Int(vec![0; shape.iter().product()]),
                    };
                    if buffer.role.is_input() {
                        let file = format!("case-{number}-{index}.txt");
                        let _ = write!(given, ", {name} = \"{file}\"");
                        stored.files.push((file, written(&values, &format!("# {name}, {case}"))));
                    }
                    if role.is_output() {
                        outputs.push((name.clone(), index));
                    }
                    let listed: Vec<_> = match &values {
                        Values::Int(all) => all.iter().map(|v| json!(v)).collect(),
                        Values::Float(all) => all.iter().map(|v| json!(v)).collect(),
                    };
                    json!({ "name": name, "type": of_numpy(buffer.ty), "shape": shape, "values": listed })
                }
            });
        }
        let into = place.join("outputs");
        let names: Vec<&String> = outputs.iter().map(|(name, _)| name).collect();
        let task = json!({
            "file": std::path::absolute(folder.join(FILE))?, "function": entry.name, "arguments": arguments,
            "outputs": names, "into": into,
        });
        run(python, &task).with_context(|| format!("{FILE}, {case}"))?;
        let text = fs::read_to_string(&into).with_context(|| format!("{FILE} wrote nothing"))?;
        let lines: Vec<&str> = text.lines().collect();
        ensure!(lines.len() == outputs.len(), "{FILE} gave {} outputs", lines.len());
        let mut expected = Vec::new();
        for ((name, index), line) in outputs.iter().zip(lines) {
            let file = format!("case-{number}-{index}-expected.txt");
            expected.push(format!("{name} = \"{file}\""));
            let words: Vec<&str> = line.split(' ').collect();
            let head = format!("{DIGEST}{}\n# {name}, {case}", digest(reference));
            stored.files.push((file, in_lines(&words, &head)));
        }
        let sizes = case.iter().map(|(name, value)| format!("{name} = {value}"));
        let sizes = sizes.collect::<Vec<_>>().join(", ");
        let given = if sizes.is_empty() { given.trim_start_matches(", ").to_owned() } else { given };
        stored.cases.push(format!("{{ {sizes}{given}, expected = {{ {} }} }}", expected.join(", ")));
    }
    Ok(stored)
}

fn run(python: &Path, task: &serde_json::Value) -> Result<()> {
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| {
            format!("can't start {}: give a Python that has numpy with --python", python.display())
        })?;
    if let Some(mut input) = child.stdin.take() {
        // A script that ends early reports the reason itself.
        let _ = input.write_all(task.to_string().as_bytes());
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}", said.trim().lines().last().unwrap_or("it failed without a message"));
    }
    Ok(())
}

/// Loads a lesson from a lesson.toml, as far as generating its inputs requires.
fn lesson(place: &Path, toml: &str) -> Result<Lesson> {
    let folder = place.join("lessons/1-a/one");
    fs::create_dir_all(&folder)?;
    fs::write(place.join("lessons/1-a/part.toml"), "title = \"A\"\nabout = \"A.\"\n")?;
    fs::write(folder.join("lesson.toml"), toml)?;
    let draft = Course::draft(place)?;
    match (draft.course.lesson("one"), draft.problems.first()) {
        (Some(lesson), _) => Ok(lesson.clone()),
        (None, Some(problem)) => {
            bail!("the shapes do not fit (give better ones in shapes.toml): {}", problem.message)
        }
        (None, None) => bail!("no lesson can be made from it"),
    }
}

fn of_numpy(ty: ElementType) -> &'static str {
    match ty {
        ElementType::F16 => "float16",
        // numpy has no bfloat16: values are rounded when they are read.
        ElementType::Bf16 | ElementType::F32 => "float32",
        ElementType::F64 => "float64",
        ElementType::I8 => "int8",
        ElementType::U8 => "uint8",
        ElementType::I32 => "int32",
        ElementType::U32 => "uint32",
        ElementType::I64 => "int64",
        ElementType::U64 => "uint64",
    }
}

fn written(values: &Values, head: &str) -> String {
    let words: Vec<String> = match values {
        Values::Int(all) => all.iter().map(i64::to_string).collect(),
        Values::Float(all) => all.iter().map(f64::to_string).collect(),
    };
    in_lines(&words.iter().map(String::as_str).collect::<Vec<_>>(), head)
}

fn in_lines(words: &[&str], head: &str) -> String {
    let lines = words.chunks(IN_A_LINE).map(|line| line.join(" ") + "\n");
    format!("{head}\n{}", lines.collect::<String>())
}

/// Returns problems for files that were stored from another `reference.py` than the current one.
pub fn changed(root: &Path, lesson: &Lesson) -> Vec<Problem> {
    let folder = lesson.folder();
    let Ok(reference) = fs::read_to_string(root.join(&folder).join(FILE)) else { return Vec::new() };
    let digest = digest(&reference);
    let expected = lesson.spec.cases.iter().flat_map(|case| &case.data.expected);
    let files = expected.filter_map(|(_, numbers)| numbers.file.as_ref());
    let stale = files.filter_map(|name| {
        let file = format!("{folder}/{name}");
        let text = fs::read_to_string(root.join(&file)).ok()?;
        let from = text.lines().next()?.strip_prefix(DIGEST)?.trim();
        let message = "stored from a different reference.py than the one next to it: import again";
        (from != digest).then_some(Problem::new(&file, Some(1), message))
    });
    stale.collect()
}
