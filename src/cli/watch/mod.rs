//! `watch`, or no command: shows the lesson to do, checks its file on every save, and answers to keys.
//! Never moves on by itself.

mod files;
pub(super) mod pager;
mod screen;

use super::judging::{self, Job, Prepared};
use super::target;
use super::{Answer, CommandError, Context, Exit, check, find_lesson, hint, list, next, read, reset, view};
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use files::Files;
use report::{self, Unfolded, VerdictView, escape};
use screen::Screen;
use std::io::{IsTerminal, stdin, stdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often files are looked at without being told.
const LOOK: Duration = Duration::from_millis(300);
/// A file that is missing for so long is not being replaced: it is gone.
const GONE: Duration = Duration::from_secs(1);
/// A save is several changes: the file is read once they are over.
const SETTLE: Duration = Duration::from_millis(40);

enum Event {
    Key(KeyCode, KeyModifiers),
    Resized,
    FilesMayHaveChanged,
    /// What a check came to.
    Judged(u64, Box<Job>, Result<Box<VerdictView>, String>),
    /// No more keys: the terminal is gone.
    KeysEnded,
}

/// What the page shows.
enum Page {
    Lesson,
    Verdict(Box<VerdictView>, bool),
    Text(String),
    Checking,
}

const HELP: &str = "\
n  go to the next lesson, once this one is passed
h  show a hint; again for another
l  list the lessons
t  read this lesson's text
r  run this lesson's check again, with fresh inputs
p  pictures of what warps touch
v  everything that the check found; again for what comes first
x  start this lesson's file again; yours is kept as a backup
q  quit
space  more of a page that is longer than the screen
Saving a lesson's file checks it. Saving another lesson's file turns to that lesson.";

#[derive(clap::Args, Default)]
pub struct Args {
    /// Slug, beginning of it, number or path; the one to do if left out
    lesson: Option<String>,
}

pub fn run(args: Args, context: &mut Context) -> Answer {
    context.need_workspace()?;
    let slug = match &args.lesson {
        Some(name) => Some(find_lesson::find(name, context.course()?, &context.style.command)?.slug.clone()),
        None => None,
    };
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let answer = match slug {
            Some(slug) => read::show(&slug, context)?,
            None => next::run(context)?,
        };
        context.out.finish()?;
        context.say(&format!(
            "Not a terminal, so nothing is watched. After an edit: {} check",
            context.style.command
        ));
        return Ok(answer);
    }
    let Some(slug) = slug.or(current(context)?).or(last(context)?) else {
        return next::run(context);
    };
    // Fetched, if it must be, while the terminal is still as usual.
    context.compiler()?;
    let workspace = context.need_workspace()?.clone();
    let (send, events) = mpsc::channel();
    let kernels = context.course()?.lessons().iter().map(|l| (l.slug.clone(), workspace.kernel(l))).collect();
    let files = Files::new(kernels, &workspace.root().join("kernels"), send.clone());
    let screen = Screen::enter().map_err(anyhow::Error::from)?;
    context.keep_notes();
    context.style.watching = true;
    read_keys(send.clone());
    let mut watch = Watch {
        context,
        screen,
        files,
        send,
        slug,
        page: Page::Lesson,
        top: 0,
        more: 0,
        notice: String::new(),
        asked: false,
        judging: 0,
    };
    let answer = watch.run(&events);
    drop(watch);
    // The screen is as usual again.
    context.release_notes();
    answer
}

fn current(context: &Context) -> Result<Option<String>, CommandError> {
    Ok(context.current()?.map(|lesson| lesson.slug.clone()))
}

fn last(context: &Context) -> Result<Option<String>, CommandError> {
    Ok(context.course()?.lessons().last().map(|lesson| lesson.slug.clone()))
}

/// Keys arrive in a thread of their own, which ends with the process.
fn read_keys(send: Sender<Event>) {
    std::thread::spawn(move || {
        loop {
            let event = match event::read() {
                Ok(event::Event::Key(key)) if key.kind != KeyEventKind::Release => {
                    Event::Key(key.code, key.modifiers)
                }
                Ok(event::Event::Resize(..)) => Event::Resized,
                Ok(_) => continue,
                Err(_) => Event::KeysEnded,
            };
            let last = matches!(event, Event::KeysEnded);
            if send.send(event).is_err() || last {
                return;
            }
        }
    });
}

struct Watch<'a> {
    context: &'a mut Context,
    screen: Screen,
    files: Files,
    send: Sender<Event>,
    /// The lesson that keys are about.
    slug: String,
    page: Page,
    /// First line of the page that is shown, and of what `space` shows next.
    top: usize,
    more: usize,
    /// Said below the page until the next key or save.
    notice: String,
    /// `x` was pressed and waits for another.
    asked: bool,
    /// Checks begun; only the last one's verdict is shown.
    judging: u64,
}

impl Watch<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Answer {
        self.provide()?;
        if self.context.current()?.is_none() {
            let count = self.context.course()?.lessons().len();
            self.context.say(&format!("All {count} lessons are passed. l lists them."));
        }
        // A lesson that was tried before is looked at again; a new one is read first.
        if self.context.progress()?.entry(&self.slug).is_some_and(|e| e.last.is_some()) {
            self.check(false)?;
        } else {
            self.draw()?;
        }
        loop {
            let event = match events.recv_timeout(LOOK) {
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
                    self.context.style.width = super::terminal::style(&self.context.global).width;
                    self.draw()?;
                }
                Event::FilesMayHaveChanged => self.look()?,
                Event::Judged(number, job, result) => self.judged(number, &job, result)?,
            }
        }
    }

    /// Answers a key. False to end.
    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Result<bool, CommandError> {
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
        let asked = std::mem::take(&mut self.asked);
        let noticed = !std::mem::take(&mut self.notice).is_empty();
        match code {
            KeyCode::Char('q') => return Ok(false),
            KeyCode::Char('?') => self.tell(HELP)?,
            KeyCode::Char(' ') => {
                self.top = self.more;
                self.draw()?;
            }
            KeyCode::Char('n') => self.next()?,
            KeyCode::Char('r') => self.check(true)?,
            KeyCode::Char('v') => {
                self.context.style.verbose ^= true;
                self.top = 0;
                self.draw()?;
            }
            KeyCode::Char('p') => {
                let lesson = self.context.course()?.lesson(&self.slug).cloned();
                let drawn =
                    lesson.map(|lesson| view::pictures(&target::own(&lesson, self.context)?, self.context));
                match drawn.unwrap_or_else(|| Ok(String::new())) {
                    Ok(text) => self.show(Page::Text(text))?,
                    // A file that can't be read now may be by the next save.
                    Err(trouble) => self.tell(&trouble.message)?,
                }
            }
            KeyCode::Char('t') => self.show(Page::Lesson)?,
            KeyCode::Char('h') => {
                let text = hint::another(&self.slug, self.context)?;
                self.show(Page::Text(text))?;
            }
            KeyCode::Char('l') => {
                let text =
                    report::list(&list::view(self.context)?, Unfolded::PartInWork, &self.context.style);
                self.context.say("Save another lesson's file to turn to it.");
                self.show(Page::Text(text))?;
            }
            KeyCode::Char('x') if !asked => {
                self.asked = true;
                let slug = escape(&self.slug);
                self.context.say(&format!(
                    "Press x again to reset {slug}; your file is kept as a backup. Any other key leaves it."
                ));
                self.draw()?;
            }
            KeyCode::Char('x') => {
                let text = reset::reset(&self.slug, self.context)?;
                // What we wrote ourselves is no save of the learner's.
                self.files.changed();
                self.tell(&text)?;
            }
            // What was asked or said is over.
            _ if noticed => self.draw()?,
            _ => {}
        }
        Ok(true)
    }

    /// Moves on to the first lesson that is not passed, unless that is this one.
    fn next(&mut self) -> Result<(), CommandError> {
        match current(self.context)? {
            Some(slug) if slug == self.slug => {
                self.tell(&format!("{} is not passed yet. Stuck? h shows a hint.", escape(&slug)))
            }
            Some(slug) => {
                self.slug = slug;
                self.judging += 1;
                self.provide()?;
                self.show(Page::Lesson)
            }
            None => self.tell("All lessons are passed. l lists them; save any lesson's file to turn to it."),
        }
    }

    /// Puts the lesson's file there where it is missing: that is no save of the learner's.
    fn provide(&mut self) -> Result<(), CommandError> {
        if let Some(lesson) = self.context.course()?.lesson(&self.slug) {
            target::provide(lesson, self.context)?;
        }
        self.files.changed();
        Ok(())
    }

    /// Shows lines of our own, broken to the width.
    fn tell(&mut self, text: &str) -> Result<(), CommandError> {
        let width = self.context.style.width;
        let lines = text.lines().flat_map(|line| report::wrap(line, width, 0));
        let text = lines.map(|line| line + "\n").collect();
        self.show(Page::Text(text))
    }

    /// Checks what was saved. Saving another lesson's file turns to that lesson.
    fn look(&mut self) -> Result<(), CommandError> {
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
        // Many at once are no edit but a checkout of another version, say.
        match changed.as_slice() {
            [only] if *only != self.slug => {
                self.slug = only.clone();
                self.notice.clear();
                let slug = escape(&self.slug);
                self.context.say(&format!("Turned to {slug}; n goes to what is next."));
            }
            _ if changed.contains(&self.slug) => self.notice.clear(),
            _ => return Ok(()),
        }
        self.asked = false;
        self.check(false)
    }

    /// A verdict on a file that is gone says nothing any more.
    fn gone(&mut self) -> Result<(), CommandError> {
        let Some(lesson) = self.context.course()?.lesson(&self.slug) else { return Ok(()) };
        let file = self.context.need_workspace()?.kernel(lesson);
        let file = escape(&self.context.shown(&file));
        self.judging += 1;
        self.tell(&format!("{file} is gone. x begins it again, or put it back."))
    }

    fn check(&mut self, anew: bool) -> Result<(), CommandError> {
        self.judging += 1;
        let Some(lesson) = self.context.course()?.lesson(&self.slug) else { return Ok(()) };
        let prepared =
            target::own(lesson, self.context).and_then(|target| judging::prepare(target, anew, self.context));
        match prepared {
            Ok(Prepared::Known(view)) => self.show(Page::Verdict(view, false)),
            Ok(Prepared::Job(job)) => {
                let (send, number) = (self.send.clone(), self.judging);
                std::thread::spawn(move || {
                    let run = || job.run().map(Box::new).map_err(|e| format!("{e:#}"));
                    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
                        .unwrap_or_else(|_| Err("a bug of gpulearn's: judging this file panicked".into()));
                    let _ = send.send(Event::Judged(number, job, result));
                });
                self.show(Page::Checking)
            }
            // A file that can't be read now may be by the next save.
            Err(trouble) => self.tell(&trouble.message),
        }
    }

    fn judged(
        &mut self,
        number: u64,
        job: &Job,
        result: Result<Box<VerdictView>, String>,
    ) -> Result<(), CommandError> {
        let page = match result {
            Ok(view) => {
                let first = job.store(&view, self.context);
                Ok(Page::Verdict(view, first))
            }
            Err(error) => Err(report::escape_lines(&error)),
        };
        // One that was overtaken is stored, not shown.
        match page {
            _ if number != self.judging => Ok(()),
            Ok(page) => self.show(page),
            Err(error) => self.tell(&error),
        }
    }

    fn show(&mut self, page: Page) -> Result<(), CommandError> {
        self.page = page;
        self.top = 0;
        self.draw()
    }

    fn draw(&mut self) -> Result<(), CommandError> {
        let text = match &self.page {
            Page::Lesson => read::page(&self.slug, self.context)?,
            Page::Verdict(view, first) => check::rendered(view, *first, self.context)?,
            Page::Text(text) => text.clone(),
            Page::Checking => format!("Checking {} …\n", escape(&self.slug)),
        };
        let done = self.context.progress()?.passed(&self.slug);
        self.notice += &self.context.take_notes();
        let footer = self.notice.clone() + &report::keys(done, &self.context.style);
        let body = self.fitting(&text, &footer);
        self.screen.show(&(body + &footer)).map_err(|e| anyhow::Error::from(e).into())
    }

    /// As much of a page as fits above the footer, and how to see the rest.
    fn fitting(&mut self, text: &str, footer: &str) -> String {
        let (columns, rows) = match crossterm::terminal::size() {
            Ok((columns, rows)) if columns > 0 && rows > 0 => (columns as usize, rows as usize),
            // A terminal that does not say: everything, as it scrolls.
            _ => return text.to_string(),
        };
        // The cursor rests on the line below.
        let room = rows.saturating_sub(pager::rows_of(footer, columns) + 1).max(2);
        if pager::rows_of(text, columns) <= room {
            self.more = 0;
            return text.to_string();
        }
        let (shown, next) = pager::screenful(text, self.top, room - 1, columns);
        self.more = next.unwrap_or(0);
        shown + if next.is_some() { "space: more\n" } else { "space: from the start\n" }
    }
}
