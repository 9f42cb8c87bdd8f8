//! Without a command: shows the lesson to do, checks its file on every save, and answers to keys.
//! Never moves on by itself.

mod files;
mod screen;

use super::judging::{self, Job, Prepared};
use super::{Answer, Context, Exit, Trouble, check, hint, list, next, read, reset};
use crate::report::{self, VerdictView, escape};
use crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use files::Files;
use screen::Screen;
use std::io::{IsTerminal, stdin, stdout};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

/// How often files are looked at without being told.
const LOOK: Duration = Duration::from_millis(300);
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

pub fn run(context: &mut Context) -> Answer {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let answer = next::run(context)?;
        context.out.finish()?;
        context.say(&format!(
            "Not a terminal, so nothing is watched. After an edit: {} check",
            context.style.command
        ));
        return Ok(answer);
    }
    let Some(slug) = current(context)? else {
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
    read_keys(send.clone());
    let mut watch = Watch { context, screen, files, send, slug, page: Page::Lesson, judging: 0 };
    watch.run(&events)
}

fn current(context: &Context) -> Result<Option<String>, Trouble> {
    let Some(lesson) = context.current()? else { return Ok(None) };
    context.need_workspace()?.provide_kernel(lesson)?;
    Ok(Some(lesson.slug.clone()))
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
    /// Checks begun; only the last one's verdict is shown.
    judging: u64,
}

impl Watch<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> Answer {
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
    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> Result<bool, Trouble> {
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
        match code {
            KeyCode::Char('q') => return Ok(false),
            KeyCode::Char('n') => self.next()?,
            KeyCode::Char('r') => self.check(true)?,
            KeyCode::Char('t') => self.show(Page::Lesson)?,
            KeyCode::Char('h') => {
                let text = hint::another(&self.slug, self.context)?;
                self.show(Page::Text(text))?;
            }
            KeyCode::Char('l') => {
                let text = report::list(&list::view(self.context)?, &self.context.style);
                self.show(Page::Text(text + "\nSave another lesson's file to turn to it.\n"))?;
            }
            KeyCode::Char('x') => {
                let text = reset::reset(&self.slug, self.context)?;
                // What we wrote ourselves is no save of the learner's.
                self.files.changed();
                self.show(Page::Text(text))?;
            }
            _ => {}
        }
        Ok(true)
    }

    /// Moves on, once this lesson is passed.
    fn next(&mut self) -> Result<(), Trouble> {
        if !self.context.progress()?.passed(&self.slug) {
            let slug = escape(&self.slug);
            return self.show(Page::Text(format!("{slug} is not passed yet. Stuck? h shows a hint.\n")));
        }
        match current(self.context)? {
            Some(slug) => {
                self.slug = slug;
                self.judging += 1;
                self.files.changed();
                self.show(Page::Lesson)
            }
            None => self.show(Page::Text("All lessons are passed.\n".into())),
        }
    }

    /// Checks what was saved. Saving another lesson's file turns to that lesson.
    fn look(&mut self) -> Result<(), Trouble> {
        let mut changed = self.files.changed();
        if changed.is_empty() {
            return Ok(());
        }
        std::thread::sleep(SETTLE);
        changed.extend(self.files.changed());
        changed.dedup();
        // Many at once are no edit but a checkout of another version, say.
        match changed.as_slice() {
            [only] if *only != self.slug => self.slug = only.clone(),
            _ if changed.contains(&self.slug) => {}
            _ => return Ok(()),
        }
        self.check(false)
    }

    fn check(&mut self, anew: bool) -> Result<(), Trouble> {
        self.judging += 1;
        let Some(lesson) = self.context.course()?.lesson(&self.slug) else { return Ok(()) };
        let prepared = judging::own(lesson, self.context)
            .and_then(|target| judging::prepare(target, anew, self.context));
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
            Err(trouble) => self.show(Page::Text(trouble.message + "\n")),
        }
    }

    fn judged(
        &mut self,
        number: u64,
        job: &Job,
        result: Result<Box<VerdictView>, String>,
    ) -> Result<(), Trouble> {
        let page = match result {
            Ok(view) => {
                let first = job.store(&view, self.context);
                Page::Verdict(view, first)
            }
            Err(error) => Page::Text(report::escape_lines(&error) + "\n"),
        };
        // One that was overtaken is stored, not shown.
        if number == self.judging { self.show(page) } else { Ok(()) }
    }

    fn show(&mut self, page: Page) -> Result<(), Trouble> {
        self.page = page;
        self.draw()
    }

    fn draw(&self) -> Result<(), Trouble> {
        let text = match &self.page {
            Page::Lesson => read::page(&self.slug, self.context)?,
            Page::Verdict(view, first) => check::rendered(view, *first, self.context)?,
            Page::Text(text) => text.clone(),
            Page::Checking => format!("Checking {} …\n", escape(&self.slug)),
        };
        let done = self.context.progress()?.passed(&self.slug);
        let notes = self.context.take_notes();
        let footer = report::keys(done, &self.context.style);
        self.screen.show(&(text + &notes + &footer)).map_err(|e| anyhow::Error::from(e).into())
    }
}
