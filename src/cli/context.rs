//! State that commands share: options, output, the course, the workspace and its progress. Each is loaded when
//! first asked for, so that a command only pays for what it uses.

use super::config::Config;
use super::output::Output;
use super::{
    Answer, Backend, CommandError, Exit, Format, Global, Result, container, course, shown_path, terminal,
};
use crate::lessons;
use compiler::{Compiler, environment};
use judge::course::{Course, Lesson, Loaded, Progress, Workspace};
use judge::on_gpu::Gpu;
use report::{self, Style, escape, json, wrap};
use serde::Serialize;
use std::cell::{OnceCell, RefCell};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

pub struct Context {
    pub global: Global,
    pub config: Config,
    pub style: Style,
    pub out: Output,
    base_course: OnceCell<Course>,
    /// The course including courses that were added; `None` where there are none.
    with_added: OnceCell<Option<Course>>,
    workspace: OnceCell<Option<Workspace>>,
    compiler: OnceCell<Compiler>,
    gpu: OnceCell<Option<Gpu>>,
    /// Messages kept for the page; `None` while messages are written at once.
    notes: RefCell<Option<String>>,
}

impl Context {
    pub fn new(global: Global, config: Config) -> Context {
        let style = terminal::style(&global);
        let out = Output::new(global.format == Format::Json);
        Context {
            global,
            config,
            style,
            out,
            base_course: OnceCell::new(),
            with_added: OnceCell::new(),
            workspace: OnceCell::new(),
            compiler: OnceCell::new(),
            gpu: OnceCell::new(),
            notes: RefCell::new(None),
        }
    }

    /// Writes a message that is not part of the answer to standard error, or keeps it for the page.
    pub fn say(&self, message: &str) {
        let lines = message.lines().flat_map(|line| wrap(line, self.style.width, 0));
        let text: String = lines.map(|line| line + "\n").collect();
        let text = report::without_ci_commands(&text);
        // The characters of kept messages are converted for the terminal when the page is shown.
        match self.notes.borrow_mut().as_mut() {
            Some(notes) => *notes += &text,
            // Standard error may be closed; there is nowhere else to report that.
            None => drop(std::io::stderr().lock().write_all(terminal::in_terminal_charset(&text).as_bytes())),
        }
    }

    /// Says why this machine should only `use` files that are trusted, if there are reasons.
    pub fn warn_of_files(&self, use_: &str) {
        for missing in Compiler::guarantees().missing() {
            self.say(&format!("{use_} only files you trust: {missing}."));
        }
    }

    /// Prints the answer of a command that could do what it was asked for.
    pub fn answer(&mut self, text: &str) -> Answer {
        self.out.print(text);
        Ok(Exit::Pass)
    }

    /// Prints a view in the format that was asked for: as JSON of this schema, or as the text that `render` makes of it.
    pub fn show<V: Serialize>(
        &mut self,
        schema: &'static str,
        view: &V,
        render: impl FnOnce(&Context) -> Result<String>,
    ) -> Answer {
        let text = match self.global.format {
            Format::Json => json::to_line(&json::Tagged::new(schema, view)),
            Format::Human => render(self)?,
        };
        self.answer(&text)
    }

    /// Keeps messages from now on, because the screen is drawn by this program.
    pub fn keep_notes(&self) {
        self.notes.replace(Some(String::new()));
    }

    /// Writes the kept messages, and from now on writes messages at once again.
    pub fn release_notes(&self) {
        let kept = self.notes.take().unwrap_or_default();
        drop(std::io::stderr().lock().write_all(kept.as_bytes()));
    }

    /// Takes the kept messages, after an empty line; empty if there are none.
    pub fn take_notes(&self) -> String {
        match self.notes.borrow_mut().as_mut() {
            Some(notes) if !notes.is_empty() => format!("\n{}", std::mem::take(notes)),
            _ => String::new(),
        }
    }

    /// Returns this program's lessons followed by those of courses that were added; with `--lessons`, those
    /// lessons only.
    ///
    /// # Errors
    ///
    /// The lessons can't be read, or are invalid.
    pub fn course(&self) -> Result<&Course> {
        let own = self.base_course()?;
        let all = self.with_added.get_or_init(|| match self.named_lessons() {
            Some(_) => None,
            None => course::added(self).into_iter().fold(None, |all, course| {
                let mut all = all.unwrap_or_else(|| own.clone());
                all.append(course);
                Some(all)
            }),
        });
        Ok(all.as_ref().unwrap_or(own))
    }

    /// Returns the folder that `--lessons` or the environment names.
    fn named_lessons(&self) -> Option<PathBuf> {
        self.global.lessons.clone().or_else(|| {
            let named = environment::value(environment::LESSONS);
            named.map(PathBuf::from)
        })
    }

    /// Returns this program's lessons, without courses that were added.
    ///
    /// # Errors
    ///
    /// The lessons can't be read, or are invalid.
    pub fn base_course(&self) -> Result<&Course> {
        if let Some(course) = self.base_course.get() {
            return Ok(course);
        }
        let named = self.named_lessons();
        let here = self.workspace().filter(|workspace| workspace.is_source());
        let course = match (named, here) {
            (Some(dir), _) => self.lessons_of(&dir)?,
            (None, Some(checkout)) => self.lessons_of_checkout(checkout)?,
            (None, None) => {
                // A folder that looks like a clone may be anybody's: its lessons are not used unless asked for.
                if self.workspace().is_some_and(|workspace| {
                    workspace.is_checkout() && Course::differs(workspace.root(), lessons::FILES)
                }) {
                    self.say(&format!(
                        "Using the lessons built into this program; `{} --lessons .` uses those of this clone.",
                        self.style.command
                    ));
                }
                lessons::course()
            }
        };
        Ok(self.base_course.get_or_init(|| course))
    }

    /// Returns the lessons of `--lessons`, or else the embedded ones, wherever the program is called: grading
    /// must not depend on the contents of the folder that it runs in.
    ///
    /// # Errors
    ///
    /// The lessons can't be read, or are invalid.
    pub fn lessons_alone(&self) -> Result<Course> {
        match &self.global.lessons {
            Some(dir) => self.lessons_of(dir),
            None => Ok(lessons::course()),
        }
    }

    /// Loads those lessons of a named folder that can be read.
    fn lessons_of(&self, dir: &Path) -> Result<Course> {
        const MOST: usize = 3;
        let shown = shown_path(dir);
        let (course, problems) = Course::from_dir_with_problems(dir).map_err(|e| {
            CommandError::usage(format!("no lessons in {shown}: {}", report::escape_lines(&e.to_string())))
        })?;
        if course.lessons().is_empty() {
            let why = problems.first().map_or(String::new(), |p| format!(": {}", escape(&p.to_string())));
            return Err(CommandError::usage(format!("no lesson in {shown} can be read{why}")));
        }
        self.say(&format!("Using the lessons in {shown}."));
        for problem in problems.iter().take(MOST) {
            self.say(&format!("Note: {}", escape(&problem.to_string())));
        }
        if problems.len() > MOST {
            self.say(&format!(
                "Note: {} more problems: `{} author check` lists all",
                problems.len() - MOST,
                self.style.command
            ));
        }
        Ok(course)
    }

    /// Loads the lessons of a clone; the embedded ones if they can't be read.
    fn lessons_of_checkout(&self, checkout: &Workspace) -> Result<Course> {
        match Course::from_checkout(checkout.root(), lessons::FILES) {
            Ok((course, differs)) => {
                if differs {
                    let folder = escape(&self.shown(&checkout.root().join("lessons")));
                    self.say(&format!(
                        "Using the lessons in {folder}, which differ from those built into this program."
                    ));
                }
                Ok(course)
            }
            Err(error) => {
                let first = error.problems.first().map_or(String::new(), |p| escape(&p.to_string()));
                self.say(&format!(
                    "Note: using the lessons built into this program, as those here can't be read: {first}"
                ));
                Ok(lessons::course())
            }
        }
    }

    /// Returns the options for judging, with the seed of `--seed` if there is one.
    pub fn judge_options(&self) -> judge::Options {
        let usual = judge::Options::default();
        judge::Options { seed: self.global.seed.unwrap_or(usual.seed), ..usual }
    }

    /// Returns the compiler, which is fetched if it is missing. If there is none for this machine and the
    /// container is present, the whole command is run in the container, and this function does not return.
    ///
    /// # Errors
    ///
    /// There is no compiler, and none may or can be fetched.
    pub fn compiler(&self) -> Result<&Compiler> {
        self.compiler_here().inspect_err(|_| {
            if let Some(code) = container::run_instead(self.workspace().map(Workspace::root)) {
                std::process::exit(code);
            }
        })
    }

    /// Like [`compiler`](Context::compiler), but never runs the command in the container.
    ///
    /// # Errors
    ///
    /// There is no compiler, and none may or can be fetched.
    pub fn compiler_here(&self) -> Result<&Compiler> {
        if let Some(compiler) = self.compiler.get() {
            return Ok(compiler);
        }
        let compiler = Compiler::locate(self.global.offline)?;
        Ok(self.compiler.get_or_init(|| compiler))
    }

    /// Returns the GPU that kernels run on, as chosen by `--backend`; `None` for the simulator. If a GPU is
    /// present but unusable, `auto` reports that once.
    ///
    /// # Errors
    ///
    /// `--backend gpu` finds no usable GPU.
    pub fn gpu(&self) -> Result<Option<&Gpu>> {
        if let Some(gpu) = self.gpu.get() {
            return Ok(gpu.as_ref());
        }
        let found = match self.global.backend {
            Backend::Sim => None,
            Backend::Auto if !gpu::is_present() => None,
            Backend::Auto => self.find_gpu().map_or_else(
                |why| {
                    self.say(&format!("Running on the simulator: {}", why.message));
                    None
                },
                Some,
            ),
            Backend::Gpu => Some(self.find_gpu()?),
        };
        Ok(self.gpu.get_or_init(|| found).as_ref())
    }

    fn find_gpu(&self) -> Result<Gpu> {
        let machine =
            gpu::machine().map_err(|gpu_error| CommandError::environment(escape(&gpu_error.to_string())))?;
        let compiler = self.compiler()?.clone().for_driver(machine.driver.0, self.global.offline)?;
        Ok(Gpu::first(machine, compiler))
    }

    /// Returns the workspace that contains the current folder, if any.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace
            .get_or_init(|| Workspace::find(&std::env::current_dir().ok()?, lessons::source().as_deref()))
            .as_ref()
    }

    /// Returns the workspace that contains the current folder.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn need_workspace(&self) -> Result<&Workspace> {
        self.workspace().ok_or_else(|| {
            let command = &self.style.command;
            // A workspace whose `.gpulearn` folder was deleted.
            CommandError::environment(match Path::new("kernels").is_dir() {
                // Workspaces have no solutions.
                true if Path::new("solutions").is_dir() => {
                    let lessons = if self.global.lessons.is_none() { " --lessons ." } else { "" };
                    format!(
                        "this is the folder of a course, and no workspace: `{command}{lessons} check FILE.cu` judges \
                         one of its files, and `{command} author check` verifies its lessons"
                    )
                }
                true => format!(
                    "this was a workspace, but its folder .gpulearn is gone: `{command} init .` makes it one \
                     again, and leaves your files unchanged"
                ),
                false => format!(
                    "no workspace in this folder or above: create one with `{command} init DIR`, then work inside it"
                ),
            })
        })
    }

    /// Returns the progress in this workspace; no progress outside of one.
    ///
    /// # Errors
    ///
    /// The file that has it can't be read.
    pub fn progress(&self) -> Result<Progress> {
        match self.workspace() {
            None => Ok(Progress::default()),
            Some(workspace) => Ok(self.noticed(workspace.progress().read()?)),
        }
    }

    fn noticed(&self, loaded: Loaded) -> Progress {
        if let Some(notice) = &loaded.notice {
            self.say(&format!("Note: {}", escape(notice)));
        }
        loaded.progress
    }

    /// Stores a change of progress. If that fails, it is reported and `None` is returned.
    pub fn remember(&self, change: impl FnOnce(&mut Progress)) -> Option<Progress> {
        let workspace = self.workspace()?;
        match workspace.progress().update(change) {
            Ok(loaded) => Some(self.noticed(loaded)),
            Err(error) => {
                self.say(&format!("Note: progress is not saved: {}", escape(&format!("{error:#}"))));
                None
            }
        }
    }

    /// Returns the first lesson not passed yet.
    ///
    /// # Errors
    ///
    /// The lessons or the progress can't be read.
    pub fn current(&self) -> Result<Option<&Lesson>> {
        let progress = self.progress()?;
        Ok(self.course()?.lessons().iter().find(|l| !progress.passed(&l.slug)))
    }

    /// Returns a path as the learner would type it from the current folder, relative where that is not too far
    /// up.
    pub fn shown(&self, path: &Path) -> String {
        let Ok(here) = std::env::current_dir() else { return path.display().to_string() };
        let relative = relative(path, &here);
        let up = relative.components().filter(|c| *c == Component::ParentDir).count();
        if up > 3 { path.display().to_string() } else { relative.display().to_string() }
    }
}

/// Returns `path` relative to the folder `from`, where both are absolute; otherwise `path` itself.
fn relative(path: &Path, from: &Path) -> PathBuf {
    if !path.is_absolute() || !from.is_absolute() {
        return path.to_path_buf();
    }
    let common = path.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    up.chain(path.components().skip(common)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_here() {
        let from = Path::new("/home/ada/gpu");
        for (path, shown) in [
            ("/home/ada/gpu/kernels/1-puzzles/map.cu", "kernels/1-puzzles/map.cu"),
            ("/home/ada/map.cu", "../map.cu"),
            ("map.cu", "map.cu"),
        ] {
            assert_eq!(relative(Path::new(path), from), Path::new(shown));
        }
    }
}
