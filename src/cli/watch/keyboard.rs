//! Reads keys in a thread of its own, which pauses while another program has the terminal.

use super::Event;
use crossterm::event::{self, KeyEventKind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long the thread waits for a key before it checks whether it has to pause.
const WAIT: Duration = Duration::from_millis(50);

#[derive(Clone, Default)]
pub struct Keyboard {
    /// Whether another program has the terminal.
    paused: Arc<AtomicBool>,
    /// Held while a key is read.
    reading: Arc<Mutex<()>>,
}

impl Keyboard {
    /// Starts the thread, which sends keys and resizes until the process ends.
    pub fn start(send: Sender<Event>) -> Keyboard {
        let keyboard = Keyboard::default();
        let its = keyboard.clone();
        thread::spawn(move || {
            loop {
                let event = match its.read() {
                    Ok(Some(event::Event::Key(key))) if key.kind != KeyEventKind::Release => {
                        Event::Key(key.code, key.modifiers)
                    }
                    Ok(Some(event::Event::Resize(..))) => Event::Resized,
                    Ok(_) => continue,
                    Err(_) => Event::KeysEnded,
                };
                let last = matches!(event, Event::KeysEnded);
                if send.send(event).is_err() || last {
                    return;
                }
            }
        });
        keyboard
    }

    fn read(&self) -> std::io::Result<Option<event::Event>> {
        while self.paused.load(Ordering::SeqCst) {
            thread::sleep(WAIT);
        }
        let _reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        match !self.paused.load(Ordering::SeqCst) && event::poll(WAIT)? {
            true => event::read().map(Some),
            false => Ok(None),
        }
    }

    /// Runs `other`, during which no key is read.
    pub fn pause_while<T>(&self, other: impl FnOnce() -> T) -> T {
        self.paused.store(true, Ordering::SeqCst);
        let reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = other();
        drop(reading);
        self.paused.store(false, Ordering::SeqCst);
        answer
    }
}
