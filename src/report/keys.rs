//! The key line of the watch page.

use super::{Style, escape, paint};

const NEXT: &str = "n next";
const KEYS: [&str; 9] =
    [NEXT, "h hint", "l list", "t text", "r run", "e edit", "x reset", "? keys", "q quit"];

/// Renders the name of the watched file and the available keys. `done` highlights the key for the next lesson.
pub fn keys(done: bool, file: &str, style: &Style) -> String {
    let mut out = format!("\n{}\n", paint::accent(&escape(file)));
    let mut used = 0;
    for key in KEYS {
        let (gap, before) = match used {
            0 => ("", 0),
            _ if used + 3 + key.len() > style.width => ("\n", 0),
            _ => ("   ", used + 3),
        };
        used = before + key.len();
        out += gap;
        out += &if done && key == NEXT { paint::good(key) } else { paint::dim(key) };
    }
    out + "\n"
}
