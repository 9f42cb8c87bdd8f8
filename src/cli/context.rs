//! What commands share: options, output, the course, the workspace and its progress. Each is got
//! when first asked for, so that a command pays only for what it uses.

use super::config::Config;
use super::output::Output;
use super::{Backend, CommandError, Format, Global, container, course, terminal};
use crate::lessons;
use compiler::Compiler;
use judge::course::{Course, Lesson, Loaded, Progress, Workspace};
use judge::on_gpu::Gpu;
use report::{self, Style, escape, wrap};
use std::cell::{OnceCell, RefCell};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

/// Names a folder of lessons, as `--lessons` does.
const LESSONS: &str = "GPULEARN_LESSONS";

pub struct Context {
    pub global: Global,
    pub config: Config,
    pub style: Style,
    pub out: Output,
    own_course: OnceCell<Course>,
    /// With courses that were added; `None` where there are none.
    with_added: OnceCell<Option<Course>>,
    workspace: OnceCell<Option<Workspace>>,
    compiler: OnceCell<Compiler>,
    gpu: OnceCell<Option<Gpu>>,
    /// Messages that wait to be shown, where they are not written at once.
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
            own_course: OnceCell::new(),
            with_added: OnceCell::new(),
            workspace: OnceCell::new(),
            compiler: OnceCell::new(),
            gpu: OnceCell::new(),
            notes: RefCell::new(None),
        }
    }

    /// A message beside the answer: on standard error, or kept for the page.
    pub fn say(&self, message: &str) {
        let lines = message.lines().flat_map(|line| wrap(line, self.style.width, 0));
        let text: String = lines.map(|line| line + "\n").collect();
        let text = report::without_ci_commands(&text);
        // Of a page that is kept, the characters are chosen when it is shown.
        match self.notes.borrow_mut().as_mut() {
            Some(notes) => *notes += &text,
            // Nobody may be listening; there is nowhere else to say so.
            None => drop(std::io::stderr().lock().write_all(terminal::spelled(&text).as_bytes())),
        }
    }

    /// From now on messages are kept, because the screen is ours to draw.
    pub fn keep_notes(&self) {
        self.notes.replace(Some(String::new()));
    }

    /// From now on messages are written at once again, beginning with those that were kept.
    pub fn release_notes(&self) {
        let kept = self.notes.take().unwrap_or_default();
        drop(std::io::stderr().lock().write_all(kept.as_bytes()));
    }

    /// What was kept, an empty line before it.
    pub fn take_notes(&self) -> String {
        match self.notes.borrow_mut().as_mut() {
            Some(notes) if !notes.is_empty() => format!("\n{}", std::mem::take(notes)),
            _ => String::new(),
        }
    }

    /// Our lessons, and behind them those of courses that were added; of `--lessons` those alone.
    pub fn course(&self) -> Result<&Course, CommandError> {
        let own = self.own_course()?;
        let all = self.with_added.get_or_init(|| match self.named_lessons() {
            Some(_) => None,
            None => course::added(self).into_iter().fold(None, |all, course| {
                let mut all = all.unwrap_or_else(|| own.clone());
                all.take_in(course);
                Some(all)
            }),
        });
        Ok(all.as_ref().unwrap_or(own))
    }

    /// The folder that `--lessons` names.
    fn named_lessons(&self) -> Option<PathBuf> {
        self.global.lessons.clone().or_else(|| {
            let named = std::env::var_os(LESSONS).filter(|dir| !dir.is_empty());
            named.map(PathBuf::from)
        })
    }

    /// Our lessons, without any that were added.
    pub fn own_course(&self) -> Result<&Course, CommandError> {
        if let Some(course) = self.own_course.get() {
            return Ok(course);
        }
        let named = self.named_lessons();
        let here = self.workspace().filter(|workspace| workspace.is_source());
        let course = match (named, here) {
            (Some(dir), _) => self.lessons_of(&dir)?,
            (None, Some(checkout)) => self.lessons_of_checkout(checkout)?,
            (None, None) => {
                // A folder that looks like a clone may be anybody's: its lessons judge nobody unasked.
                if self.workspace().is_some_and(Workspace::is_checkout) {
                    self.say(&format!(
                        "Lessons as this program was built with; `{} --lessons .` takes those of this clone.",
                        self.style.command
                    ));
                }
                lessons::course()
            }
        };
        Ok(self.own_course.get_or_init(|| course))
    }

    /// The lessons of `--lessons`, else those inside this program, wherever it is called: what grades others' work takes
    /// no word of where that lies.
    pub fn lessons_alone(&self) -> Result<Course, CommandError> {
        match &self.global.lessons {
            Some(dir) => self.lessons_of(dir),
            None => Ok(lessons::course()),
        }
    }

    /// The lessons of a folder that was named: those that can be read.
    fn lessons_of(&self, dir: &Path) -> Result<Course, CommandError> {
        const MOST: usize = 3;
        let shown = escape(&dir.display().to_string());
        let (course, problems) = Course::from_dir_with_problems(dir).map_err(|e| {
            CommandError::usage(format!("no lessons in {shown}: {}", report::escape_lines(&e.to_string())))
        })?;
        if course.lessons().is_empty() {
            let why = problems.first().map_or(String::new(), |p| format!(": {}", escape(&p.to_string())));
            return Err(CommandError::usage(format!("no lesson in {shown} can be read{why}")));
        }
        self.say(&format!("Lessons of {shown}."));
        for problem in problems.iter().take(MOST) {
            self.say(&format!("Note: {}", escape(&problem.to_string())));
        }
        if problems.len() > MOST {
            self.say(&format!(
                "Note: {} more problems: `{} author check` tells all",
                problems.len() - MOST,
                self.style.command
            ));
        }
        Ok(course)
    }

    /// The lessons as they are in a clone; where they can't be read, those that are built in.
    fn lessons_of_checkout(&self, checkout: &Workspace) -> Result<Course, CommandError> {
        match Course::from_checkout(checkout.root(), lessons::FILES) {
            Ok((course, differs)) => {
                if differs {
                    let folder = escape(&self.shown(&checkout.root().join("lessons")));
                    self.say(&format!(
                        "Lessons as they are in {folder}, not as this program was built with."
                    ));
                }
                Ok(course)
            }
            Err(error) => {
                let first = error.problems.first().map_or(String::new(), |p| escape(&p.to_string()));
                self.say(&format!(
                    "Note: lessons as this program was built with, for those here can't be read: {first}"
                ));
                Ok(lessons::course())
            }
        }
    }

    /// How lessons are judged: with the inputs of `--seed`, where that is said.
    pub fn judge_options(&self) -> judge::Options {
        let usual = judge::Options::default();
        judge::Options { seed: self.global.seed.unwrap_or(usual.seed), ..usual }
    }

    /// The compiler; fetched where it is missing. Where there is none for this machine and the container is here, all
    /// of this command is done there, and this does not return.
    pub fn compiler(&self) -> Result<&Compiler, CommandError> {
        self.compiler_here().inspect_err(|_| {
            if let Some(code) = container::run_instead(self.workspace().map(Workspace::root)) {
                std::process::exit(code);
            }
        })
    }

    /// As [`compiler`](Context::compiler), for what is of this machine alone.
    pub fn compiler_here(&self) -> Result<&Compiler, CommandError> {
        if let Some(compiler) = self.compiler.get() {
            return Ok(compiler);
        }
        let compiler = Compiler::locate(self.global.offline)?;
        Ok(self.compiler.get_or_init(|| compiler))
    }

    /// The GPU that kernels run on, as `--backend` asks; `None` for the simulator. Where a GPU is here
    /// and can't be used, `auto` says so once.
    pub fn gpu(&self) -> Result<Option<&Gpu>, CommandError> {
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

    fn find_gpu(&self) -> Result<Gpu, CommandError> {
        let machine =
            gpu::machine().map_err(|trouble| CommandError::environment(escape(&trouble.to_string())))?;
        let compiler = self.compiler()?.clone().for_driver(machine.driver.0, self.global.offline)?;
        Ok(Gpu::first(machine, compiler))
    }

    /// The workspace we stand in, if any.
    pub fn workspace(&self) -> Option<&Workspace> {
        self.workspace
            .get_or_init(|| Workspace::find(&std::env::current_dir().ok()?, lessons::source().as_deref()))
            .as_ref()
    }

    pub fn need_workspace(&self) -> Result<&Workspace, CommandError> {
        self.workspace().ok_or_else(|| {
            let command = &self.style.command;
            // What is left of one whose own folder was deleted.
            CommandError::environment(match Path::new("kernels").is_dir() {
                true => format!(
                    "this was a workspace, and its folder .gpulearn is gone: `{command} init .` makes it one \
                     again, and leaves your files as they are"
                ),
                false => format!(
                    "no workspace here or above: make one with `{command} init DIR`, then work inside it"
                ),
            })
        })
    }

    /// Progress in this workspace; none outside of one.
    pub fn progress(&self) -> Result<Progress, CommandError> {
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

    /// Stores a change of progress. Where it can't be stored that is said, and work goes on.
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

    /// The first lesson not passed yet.
    pub fn current(&self) -> Result<Option<&Lesson>, CommandError> {
        let progress = self.progress()?;
        Ok(self.course()?.lessons().iter().find(|l| !progress.passed(&l.slug)))
    }

    /// A path as the learner would type it from here: relative where that is shorter.
    pub fn shown(&self, path: &Path) -> String {
        let Ok(here) = std::env::current_dir() else { return path.display().to_string() };
        let relative = relative(path, &here);
        let up = relative.components().filter(|c| *c == Component::ParentDir).count();
        if up > 3 { path.display().to_string() } else { relative.display().to_string() }
    }
}

/// `path` from the folder `from`, both absolute; `path` itself where that makes no sense.
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
