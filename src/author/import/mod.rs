//! Imports a problem from another collection as a draft lesson: the statement, starter and reference in a folder
//! become the files of the draft.
//!
//! ```text
//! README.md, problem.md, statement.md, .txt or .html   what is to be done
//! starter.cu        a host function `solve` with pointers to device memory, or one kernel
//! reference.cu      the same function, right; or
//! reference.py      a Python function of the same name and parameters, which gets arrays of numpy and fills the
//!                   outputs or returns them. It is run once, here, and what it gives is stored
//! solution.cu       optional
//! shapes.toml       optional: cases = [{ N = 8 }] and [shapes] with A = ["M", "N"]
//! ```

mod python;
mod starter;
mod statement;

use super::scaffold::{check_part, next_order, write_lesson};
use anyhow::{Context, Result, anyhow, bail, ensure};
use judge::course::{Course, is_slug};
use serde::Deserialize;
use starter::{Entry, Parameter, Passed};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

pub use python::changed;
pub use starter::element;

/// What to import, and under which name.
pub struct Import<'a> {
    pub folder: &'a Path,
    pub part: &'a str,
    /// The lesson's slug; the folder's name if `None`.
    pub slug: Option<&'a str>,
    /// The interpreter that runs `reference.py`.
    pub python: &'a Path,
}

/// The result of an import.
#[derive(Debug)]
pub struct Imported {
    pub slug: String,
    /// Files written, relative to the course.
    pub paths: Vec<PathBuf>,
    /// What was guessed and needs review.
    pub guesses: Vec<String>,
}

/// The contents of `shapes.toml`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shapes {
    #[serde(default)]
    cases: Vec<toml::Table>,
    #[serde(default)]
    shapes: BTreeMap<String, Vec<toml::Value>>,
}

/// Sizes around the sizes of warps and blocks.
const SIZES: [u32; 6] = [5, 1, 255, 256, 257, 1000];

/// Writes a draft lesson into the course in the folder `root`. Nothing is overwritten.
///
/// # Errors
///
/// The folder lacks a starter or a reference, or they can't be parsed as such; the lesson exists already; Python
/// or the reference fails.
pub fn import(root: &Path, import: &Import) -> Result<Imported> {
    let folder = import.folder;
    let read = |name: &str| fs::read_to_string(folder.join(name)).ok();
    let name = folder.canonicalize().with_context(|| format!("can't read {}", folder.display()))?;
    let name = name.file_name().unwrap_or_default().to_string_lossy().to_lowercase().replace(['_', ' '], "-");
    let slug = import.slug.map_or(name, String::from);
    ensure!(
        is_slug(&slug) && slug.starts_with(|c: char| c.is_ascii_lowercase()),
        "\"{}\" is not a slug: give one with --slug, made of lower-case words joined by \"-\"",
        slug.escape_debug()
    );
    check_part(import.part)?;
    let starter_name = starter::file(folder)?;
    let starter = read(&starter_name).with_context(|| format!("can't read {starter_name} as text"))?;
    let entry = Entry::of(&starter).with_context(|| starter_name.clone())?;
    let shapes: Shapes = match read("shapes.toml") {
        Some(text) => toml::from_str(&text).with_context(|| "shapes.toml")?,
        None => Shapes::default(),
    };
    let (cu, py) = (read("reference.cu"), read("reference.py"));
    let order = next_order(Course::draft(root).map(|draft| draft.course), import.part, &slug);
    let order = order.map_err(|known| anyhow!("{known}: give another name with --slug"))?;
    let statement = statement::of(folder, &slug);
    let mut skeleton =
        Skeleton { entry: &entry, shapes: &shapes, order, title: &statement.title, guesses: Vec::new() };
    let lesson = format!("lessons/{}/{slug}", import.part);
    let mut files = vec![
        (format!("{lesson}/lesson.md"), statement.markdown(&entry)),
        (format!("kernels/{}/{slug}.cu", import.part), starter.clone()),
    ];
    let toml = match (cu, py) {
        (Some(cu), _) => {
            files.push((format!("{lesson}/reference.cu"), cu));
            skeleton.toml("reference.cu", &skeleton.cases())
        }
        (None, Some(py)) => {
            let draft = skeleton.toml("to-be-run", &skeleton.cases());
            let stored = python::store(import.python, folder, &draft, &entry, &py)?;
            files.extend(stored.files.into_iter().map(|(name, text)| (format!("{lesson}/{name}"), text)));
            files.push((format!("{lesson}/{}", python::FILE), py));
            skeleton.toml("expected", &stored.cases)
        }
        (None, None) => bail!("{}: a reference.cu or a reference.py is needed", folder.display()),
    };
    let guesses = skeleton.guesses;
    files.push((format!("{lesson}/lesson.toml"), toml));
    if let Some(solution) = read("solution.cu") {
        files.push((format!("solutions/{}/{slug}.cu", import.part), solution));
    }
    let paths = write_lesson(root, import.part, files)?;
    Ok(Imported { slug, paths, guesses })
}

struct Skeleton<'a> {
    entry: &'a Entry,
    shapes: &'a Shapes,
    order: u32,
    title: &'a str,
    guesses: Vec<String>,
}

impl Skeleton<'_> {
    fn sizes(&self) -> Vec<&str> {
        let sizes = self.entry.parameters.iter().filter(|parameter| matches!(parameter.passed, Passed::Size));
        sizes.map(|parameter| parameter.name.as_str()).collect()
    }

    /// Returns the cases in the syntax of lesson.toml.
    fn cases(&self) -> Vec<String> {
        if !self.shapes.cases.is_empty() {
            let one = |case: &toml::Table| toml::Value::Table(case.clone()).to_string();
            return self.shapes.cases.iter().map(one).collect();
        }
        let names = self.sizes();
        let case = |size: &u32| {
            // Several sizes are all different, so that confusing them shows.
            let sizes =
                names.iter().zip(0..).map(|(name, k)| format!("{name} = {}", small(*size, k, names.len())));
            format!("{{ {} }}", sizes.collect::<Vec<_>>().join(", "))
        };
        match names.is_empty() {
            true => vec!["{ }".into()],
            false => SIZES.iter().map(case).collect(),
        }
    }

    fn toml(&mut self, reference: &str, cases: &[String]) -> String {
        let entry = self.entry;
        let kind = if entry.is_kernel { "kernel" } else { "program" };
        let mut text = format!(
            "# Imported: every key is explained in src/judge/course/lesson.rs. Still missing: hints (three), starter (its \
             verdict).\norder = {}\ntitle = {}\nkind = \"{kind}\"\nminutes = 20\nreference = \"{reference}\"\n",
            self.order,
            toml::Value::from(self.title),
        );
        let _ = writeln!(text, "cases = [\n    {},\n]", cases.join(",\n    "));
        let sizes: Vec<String> = self.sizes().into_iter().map(String::from).collect();
        let mut guesses = Vec::new();
        for parameter in &entry.parameters {
            let Passed::Buffer { role } = parameter.passed else { continue };
            let Parameter { name, ty, .. } = parameter;
            let shape = match self.shapes.shapes.get(name) {
                Some(shape) => shape.iter().map(toml::Value::to_string).collect::<Vec<_>>().join(", "),
                None => {
                    let first = sizes.first().map_or("1".to_owned(), |size| format!("\"{size}\""));
                    if sizes.len() != 1 {
                        guesses.push(format!("the shape of {name}: [{first}]"));
                    }
                    first
                }
            };
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{name}\"\ntype = \"{}\"\nshape = [{shape}]\nrole = \"{}\"",
                ty, role
            );
            if !entry.is_kernel {
                text += "memory = \"device\"\n";
            }
            if role.is_input() {
                let kind = if ty.is_float() { "halves" } else { "integers" };
                let low = ty.exact_integers().0.max(-9);
                let _ = writeln!(text, "fill = {{ kind = \"{kind}\", low = {low}, high = 9 }}");
            } else {
                let _ = writeln!(text, "writer = \"any\"");
            }
        }
        let argument = |parameter: &Parameter| match parameter.passed {
            Passed::Buffer { .. } => format!("\"{}\"", parameter.name),
            Passed::Size => format!("\"{}: {}\"", parameter.name, parameter.ty),
            Passed::Number => format!("\"1: {}\"", parameter.ty),
        };
        for parameter in entry.parameters.iter().filter(|p| matches!(p.passed, Passed::Number)) {
            guesses.push(format!("{}, a number: 1", parameter.name));
        }
        let args = entry.parameters.iter().map(argument).collect::<Vec<_>>().join(", ");
        text += &match entry.is_kernel {
            true => {
                let threads = sizes.first().map_or("1", |size| size);
                guesses.push(format!("the launch of {}: one thread for each of {threads}", entry.name));
                format!(
                    "\n[[launches]]\nkernel = \"{}\"\ngrid = [\"ceil_div({threads}, 256)\"]\nblock = [256]\nargs = [{args}]\n",
                    entry.name
                )
            }
            false => format!("\n[[calls]]\nfunction = \"{}\"\nargs = [{args}]\n", entry.name),
        };
        let floats =
            entry.parameters.iter().any(|p| matches!(p.passed, Passed::Buffer { .. }) && p.ty.is_float());
        if floats {
            text += "\n[tolerance]\nabs = 1e-5\nrel = 1e-5\n";
        }
        self.guesses = guesses;
        text
    }
}

/// Returns the `k`th of several sizes: smaller where there are more, because they are multiplied.
fn small(size: u32, k: u32, several: usize) -> u32 {
    match several {
        0 | 1 => size,
        2 => (size / 16).max(1) + k,
        _ => (size / 64).max(1) + k,
    }
}
