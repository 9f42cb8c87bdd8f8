//! `watch`, also the default without a command: shows the lesson to do, checks its file on every save, and
//! responds to keys. Never moves to another lesson by itself, except when that lesson's file is saved.

mod editor;
mod files;
mod keyboard;
mod page;
pub(super) mod pager;
mod screen;

use super::judging::{self, Job, VerdictLookup};
use super::{Answer, Context, Exit, find_lesson, hint, next, read, reset, view};
use super::{Result, target};
use compiler::Compiler;
use crossterm::event::{KeyCode, KeyModifiers};
use files::Files;
use judge::course::Lesson;
use keyboard::Keyboard;
use page::Page;
use report::{self, VerdictView, escape};
use screen::Screen;
use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// Polling interval for files.
const POLL_INTERVAL: Duration = Duration::from_millis(300);
/// How long a file may be missing before it counts as deleted instead of as being replaced.
const GONE: Duration = Duration::from_secs(1);
/// A save may consist of several changes: the file is read once this time has passed.
const SETTLE: Duration = Duration::from_millis(40);

enum Event {
    Key(KeyCode, KeyModifiers),
    Resized,
    FilesMayHaveChanged,
    /// The result of check number n.
    Judged(u64, Box<Job>, Result<Box<VerdictView>, String>),
    /// No more keys will come: the terminal is gone.
    KeysEnded,
}

/// A page, and the first of its lines that is shown.
struct Shown {
    page: Page,
    top: usize,
}

#[derive(clap::Args, Default)]
pub struct Args {
    /// Slug, start of the slug, number or path; the next lesson to do if omitted
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    context.need_workspace()?;
    let found = |name| find_lesson::find(name, context.course()?, &context.style.command);
    let lesson = args.lesson.as_deref().map(found).transpose()?;
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let page = lesson.map(|lesson| read::page(lesson, context)).transpose()?;
        let answer = match page {
            Some(page) => read::print(&page, context)?,
            None => next::run(next::Args::default(), context)?,
        };
        context.out.finish()?;
        context.say(&format!(
            "Not a terminal, so nothing is watched. After an edit, run {} check",
            context.style.command
        ));
        return Ok(answer);
    }
    let Some(lesson) = lesson.or(context.current()?).or(context.course()?.lessons().last()) else {
        return next::run(next::Args::default(), context);
    };
    let slug = lesson.slug.clone();
    // Fetch the compiler while the terminal is still in its normal mode; meanwhile the lesson can be read.
    if Compiler::locate(true).is_err() {
        let page = read::page(lesson, context)?;
        context.out.print(&page);
    }
    context.compiler()?;
    let workspace = context.need_workspace()?.clone();
    let (send, events) = mpsc::channel();
    let kernels = context.course()?.lessons().iter().map(|l| (l.slug.clone(), workspace.kernel(l))).collect();
    let files = Files::new(kernels, &workspace.root().join("kernels"), send.clone());
    let screen = Screen::enter().map_err(anyhow::Error::from)?;
    context.keep_notes();
    context.style.watching = true;
    let keyboard = Keyboard::start(send.clone());
    let mut watch = Watch {
        context,
        screen,
        keyboard,
        files,
        send,
        slug,
        shown: Shown { page: Page::Lesson, top: 0 },
        covered_page: None,
        more: None,
        number: String::new(),
        notice: String::new(),
        reset_pending: false,
        judging: 0,
    };
    let answer = watch.run(&events);
    drop(watch);
    // The terminal is back in its normal mode.
    context.release_notes();
    answer
}

fn current(context: &Context) -> Result<Option<String>> {
    Ok(context.current()?.map(|lesson| lesson.slug.clone()))
}

struct Watch<'a> {
    context: &'a mut Context,
    screen: Screen,
    keyboard: Keyboard,
    files: Files,
    send: Sender<Event>,
    /// The lesson that keys refer to.
    slug: String,
    shown: Shown,
    /// The page to return to from an overlay.
    covered_page: Option<Shown>,
    /// First line after the visible part of the page, if any.
    more: Option<usize>,
    /// Digits of a lesson's number typed so far.
    number: String,
    /// Message below the page until the next key or save.
    notice: String,
    /// Whether `x` was pressed and waits for confirmation.
    reset_pending: bool,
    /// Number of checks begun; only the last one's verdict is shown.
    judging: u64,
}

impl Watch<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Answer {
        self.provide()?;
        if self.context.current()?.is_none() {
            let count = self.context.course()?.lessons().len();
            self.context.say(&format!("All {count} lessons are passed. l lists them."));
        }
        // A lesson that was tried before is checked at once; a new one is read first.
        if self.context.progress()?.entry(&self.slug).is_some_and(|e| e.last.is_some()) {
            self.check(false)?;
        } else {
            self.draw()?;
        }
        loop {
            let event = match events.recv_timeout(POLL_INTERVAL) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => Event::FilesMayHaveChanged,
                Err(RecvTimeoutError::Disconnected) => return Ok(Exit::Pass),
            };
            if screen::ended_by_signal() {
                return Ok(Exit::Pass);
            }
            match event {
                Event::KeysEnded => return Ok(Exit::Pass),
                Event::Key(code, modifiers) => {
                    if !self.key(code, modifiers)? {
                        return Ok(Exit::Pass);
                    }
                }
                Event::Resized => {
                    let style = super::terminal::style(&self.context.global);
                    (self.context.style.width, self.context.style.extra_columns) =
                        (style.width, style.extra_columns);
                    self.draw()?;
                }
                Event::FilesMayHaveChanged => self.look()?,
                Event::Judged(number, job, result) => self.judged(number, &job, result)?,
            }
        }
    }

    /// Handles a key. Returns `false` to end.
    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Result<bool> {
        if modifiers.contains(KeyModifiers::CONTROL) {
            match code {
                KeyCode::Char('c' | 'd') => return Ok(false),
                KeyCode::Char('z') => {
                    self.screen.suspend().map_err(anyhow::Error::from)?;
                    self.draw()?;
                }
                _ => {}
            }
            return Ok(true);
        }
        let reset_pending = std::mem::take(&mut self.reset_pending);
        if !matches!(code, KeyCode::Enter | KeyCode::Char('0'..='9')) {
            self.number.clear();
        }
        let noticed = !std::mem::take(&mut self.notice).is_empty();
        match code {
            KeyCode::Char('q') => return Ok(false),
            KeyCode::Char('?') if matches!(self.shown.page, Page::Help) => self.back()?,
            KeyCode::Char('?') => self.show(Page::Help)?,
            KeyCode::Esc | KeyCode::Backspace => self.back()?,
            KeyCode::Enter => self.choose()?,
            KeyCode::Char(digit @ '0'..='9') if matches!(self.shown.page, Page::List) => {
                self.number.push(digit);
                let number = &self.number;
                self.context.say(&format!("Lesson {number}: Enter opens it."));
                self.draw()?;
                return Ok(true);
            }
            // At the end of the page, start again at its top.
            KeyCode::Char(' ') => self.scroll_to(self.more.unwrap_or(0))?,
            KeyCode::PageDown => self.scroll_to(self.more.unwrap_or(self.shown.top))?,
            KeyCode::Down => self.scroll_to(self.shown.top + usize::from(self.more.is_some()))?,
            KeyCode::Up => self.scroll_to(self.shown.top.saturating_sub(1))?,
            KeyCode::Char('b') | KeyCode::PageUp => self.page_up()?,
            KeyCode::Home => self.scroll_to(0)?,
            KeyCode::Char('n') => self.next()?,
            KeyCode::Char('r') => self.check(true)?,
            KeyCode::Char('e') => self.edit()?,
            KeyCode::Char('v') => self.details()?,
            KeyCode::Char('p') => {
                let target = target::own(self.lesson()?, self.context);
                match target.and_then(|target| view::pictures(&target, self.context)) {
                    Ok(text) => self.show(Page::Pictures(text))?,
                    // A file that can't be read now may be readable after the next save.
                    Err(command_error) => self.show_message(&command_error.message)?,
                }
            }
            KeyCode::Char('t') => match &self.covered_page {
                Some(Shown { page: Page::Lesson, .. }) => self.back()?,
                _ => self.show(Page::Lesson)?,
            },
            KeyCode::Char('h') => {
                hint::another(self.lesson()?, self.context)?;
                self.show(Page::Hints)?;
            }
            KeyCode::Char('l') => self.show(Page::List)?,
            KeyCode::Char('x') if !reset_pending => {
                self.reset_pending = true;
                let slug = escape(&self.slug);
                self.context.say(&format!(
                    "Press x again to reset {slug}; your file is kept as a backup. Any other key cancels."
                ));
                self.draw()?;
            }
            KeyCode::Char('x') => {
                let text = reset::reset(self.lesson()?, self.context)?;
                // The program's own write is not a save by the learner.
                self.files.changed();
                self.show_message(&text)?;
            }
            // The message or question that was shown is no longer relevant.
            _ if noticed => self.draw()?,
            _ => {}
        }
        Ok(true)
    }

    /// Moves to the first lesson that is not passed, unless that is the current one.
    fn next(&mut self) -> Result<()> {
        match current(self.context)? {
            Some(slug) if slug == self.slug => {
                self.show_message(&format!("{} is not passed yet. Stuck? h shows a hint.", escape(&slug)))
            }
            Some(slug) => {
                self.slug = slug;
                self.judging += 1;
                self.provide()?;
                self.show(Page::Lesson)
            }
            None => self.show_message(
                "All lessons are passed. l lists them; save any lesson's file to switch to it.",
            ),
        }
    }

    /// Returns the lesson that keys refer to.
    fn lesson(&self) -> Result<&Lesson> {
        find_lesson::find(&self.slug, self.context.course()?, &self.context.style.command)
    }

    /// Returns the path of the lesson's file.
    fn file(&self) -> Result<PathBuf> {
        Ok(self.context.need_workspace()?.kernel(self.lesson()?))
    }

    /// Restores the lesson's file if it is missing, which does not count as a save.
    fn provide(&mut self) -> Result<()> {
        target::provide(self.lesson()?, self.context)?;
        self.files.changed();
        Ok(())
    }

    /// Moves to the lesson whose number was typed.
    fn choose(&mut self) -> Result<()> {
        let typed = std::mem::take(&mut self.number);
        if typed.is_empty() {
            return self.back();
        }
        let lessons = self.context.course()?.lessons();
        let Some(lesson) = typed.parse().ok().and_then(|n: usize| lessons.iter().find(|l| l.number == n))
        else {
            self.context.say(&format!("There is no lesson {typed}: they run from 1 to {}.", lessons.len()));
            return self.draw();
        };
        self.slug = lesson.slug.clone();
        self.judging += 1;
        self.covered_page = None;
        self.provide()?;
        self.show(Page::Lesson)
    }

    /// Toggles between the whole verdict and its most important part.
    fn details(&mut self) -> Result<()> {
        let covers = |covered: &mut Shown| matches!(covered.page, Page::Verdict(..));
        if self.shown.page.is_aside()
            && let Some(verdict) = self.covered_page.take_if(covers)
        {
            self.shown = verdict;
        }
        match &self.shown.page {
            Page::Verdict(..) => {
                self.context.style.verbose ^= true;
                self.shown.top = 0;
            }
            _ => self.context.say("v shows all of a verdict, but there is none here: r runs the check."),
        }
        self.draw()
    }

    /// Opens the lesson's file in the user's editor. A save there is checked like any other.
    fn edit(&mut self) -> Result<()> {
        let file = self.file()?;
        let editor = self.context.config.editor.as_deref();
        let ended = self.keyboard.pause_while(|| self.screen.leave_while(|| editor::open(&file, editor)));
        let problem = match ended.map_err(anyhow::Error::from)?.map_err(|error| error.to_string()) {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("ended with {status}")),
            Err(error) => Some(error),
        };
        if let Some(problem) = problem {
            let (problem, command) = (escape(&problem), "$VISUAL or $EDITOR");
            self.context.say(&format!("Problem with the editor: {problem}. {command} sets which to use."));
        }
        self.draw()
    }

    /// Returns to the previous page at its scroll position.
    fn back(&mut self) -> Result<()> {
        if let Some(covered_page) = self.covered_page.take() {
            self.shown = covered_page;
        }
        self.draw()
    }

    fn scroll_to(&mut self, top: usize) -> Result<()> {
        self.shown.top = top;
        self.draw()
    }

    fn page_up(&mut self) -> Result<()> {
        let text = self.shown.page.text(self.lesson()?, self.context)?;
        let footer = self.footer()?;
        let top = size().map_or(0, |(columns, rows)| {
            pager::screenful_before(&text, self.shown.top, room(&footer, columns, rows) - 1, columns)
        });
        self.scroll_to(top)
    }

    /// Shows a message as a page.
    fn show_message(&mut self, text: &str) -> Result<()> {
        self.show(Page::Message(text.to_owned()))
    }

    /// Checks the files that were saved. Saving another lesson's file moves to that lesson.
    fn look(&mut self) -> Result<()> {
        let mut changed = self.files.changed();
        if self.files.gone(GONE).contains(&self.slug) {
            self.gone()?;
        }
        if changed.is_empty() {
            return Ok(());
        }
        std::thread::sleep(SETTLE);
        changed.extend(self.files.changed());
        changed.dedup();
        // Many files changing at once are not an edit but, for example, a git checkout.
        match changed.as_slice() {
            [only] if *only != self.slug => {
                self.slug = only.clone();
                self.notice.clear();
                let slug = escape(&self.slug);
                self.context.say(&format!("Switched to {slug}; n goes to the next lesson."));
            }
            _ if changed.contains(&self.slug) => self.notice.clear(),
            _ => return Ok(()),
        }
        self.reset_pending = false;
        self.check(false)
    }

    /// Reports that the file is gone, since the verdict on it no longer means anything.
    fn gone(&mut self) -> Result<()> {
        let file = escape(&self.context.shown(&self.file()?));
        self.judging += 1;
        self.show_message(&format!("{file} is gone. Press x to start it again, or put it back."))
    }

    fn check(&mut self, anew: bool) -> Result<()> {
        self.judging += 1;
        let target = target::own(self.lesson()?, self.context);
        match target.and_then(|target| judging::look_up(target, anew, self.context)) {
            Ok(VerdictLookup::Stored(view)) => self.show(Page::Verdict(view, false)),
            Ok(VerdictLookup::Job(job)) => {
                let (send, number) = (self.send.clone(), self.judging);
                std::thread::spawn(move || {
                    let run = || job.run().map(Box::new).map_err(|e| report::error(e.chain()));
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
                        .unwrap_or_else(|_| Err("a bug in gpulearn: judging this file panicked".into()));
                    let _ = send.send(Event::Judged(number, job, result));
                });
                self.show(Page::Checking)
            }
            // A file that can't be read now may be readable after the next save.
            Err(command_error) => self.show_message(&command_error.message),
        }
    }

    fn judged(&mut self, number: u64, job: &Job, result: Result<Box<VerdictView>, String>) -> Result<()> {
        let page = match result {
            Ok(view) => {
                let first = job.store(&view, self.context);
                Page::Verdict(view, first)
            }
            Err(error) => Page::Message(report::escape_lines(&error)),
        };
        // The result of a check that was superseded is stored but not shown.
        if number == self.judging { self.show(page) } else { Ok(()) }
    }

    /// Shows a page from its start. An overlay remembers the page that it covers.
    fn show(&mut self, page: Page) -> Result<()> {
        let aside = page.is_aside();
        let before = std::mem::replace(&mut self.shown, Shown { page, top: 0 });
        match aside {
            true if !before.page.is_aside() => self.covered_page = Some(before),
            true => {}
            false => self.covered_page = None,
        }
        self.draw()
    }

    fn draw(&mut self) -> Result<()> {
        let text = self.shown.page.text(self.lesson()?, self.context)?;
        let footer = self.footer()?;
        let body = self.fitting(&text, &footer);
        self.screen.show(&(body + &footer)).map_err(|e| anyhow::Error::from(e).into())
    }

    /// Renders messages, the file and the keys.
    fn footer(&mut self) -> Result<String> {
        let done = self.context.progress()?.passed(&self.slug);
        self.notice += &self.context.take_notes();
        let file = self.context.shown(&self.file()?);
        Ok(self.notice.clone() + &report::keys(done, &file, &self.context.style))
    }

    /// Returns as much of a page as fits above the footer, with the keys that show the rest.
    fn fitting(&mut self, text: &str, footer: &str) -> String {
        // If the terminal's size is unknown, everything is printed and the terminal scrolls.
        let Some((columns, rows)) = size() else { return text.to_string() };
        let room = room(footer, columns, rows);
        let back = self.covered_page.as_ref().map(|_| "Esc: back");
        let whole = pager::rows_of(text, columns) + usize::from(back.is_some()) <= room;
        if whole {
            (self.more, self.shown.top) = (None, 0);
            return text.to_string() + &back.map_or(String::new(), |back| format!("{back}\n"));
        }
        self.shown.top = self.shown.top.min(text.lines().count().saturating_sub(1));
        let (shown, next) = pager::screenful(text, self.shown.top, room - 1, columns);
        self.more = next;
        let further = if next.is_some() { "space: more" } else { "space: from the start" };
        let up = (self.shown.top > 0).then_some("b: back up");
        let keys: Vec<&str> = [Some(further), up, back].into_iter().flatten().collect();
        format!("{shown}{}\n", keys.join("   "))
    }
}

/// Returns the terminal's columns and rows, if known.
fn size() -> Option<(usize, usize)> {
    super::terminal::size().filter(|&(columns, rows)| columns > 0 && rows > 0)
}

/// Returns the number of rows above a footer; the cursor rests on the line below it.
fn room(footer: &str, columns: usize, rows: usize) -> usize {
    rows.saturating_sub(pager::rows_of(footer, columns) + 1).max(2)
}
