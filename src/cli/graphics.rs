//! How images are drawn: with characters, or with a terminal's pixels.

use super::terminal::is_dumb;
use clap::ValueEnum;
use picture::ImageForm;
use serde::Deserialize;
use std::env;
use std::io::{IsTerminal, stdout};

/// What the user asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Graphics {
    /// Pixels, if the environment says that the terminal supports them
    Auto,
    /// Characters
    Blocks,
    /// Pixels, in the Sixel format, which many terminals support
    Sixel,
    /// Pixels, with kitty's protocol
    Kitty,
}

impl Graphics {
    /// Returns the option's value.
    pub fn name(self) -> &'static str {
        match self {
            Graphics::Auto => "auto",
            Graphics::Blocks => "blocks",
            Graphics::Sixel => "sixel",
            Graphics::Kitty => "kitty",
        }
    }

    /// Returns the form to draw in, where `characters` is the fallback. Always `characters` if the output is no
    /// terminal.
    pub fn form(self, characters: ImageForm) -> ImageForm {
        let get = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        if stdout().is_terminal() && !is_dumb() { chosen(self, characters, &get) } else { characters }
    }
}

fn chosen(choice: Graphics, characters: ImageForm, get: &dyn Fn(&str) -> Option<String>) -> ImageForm {
    match choice {
        Graphics::Blocks => characters,
        Graphics::Sixel => ImageForm::Sixel,
        Graphics::Kitty => ImageForm::Kitty,
        // Without colours there are no coloured pixels either.
        Graphics::Auto if matches!(characters, ImageForm::Ascii | ImageForm::Shades) => characters,
        Graphics::Auto => of_terminal(get).unwrap_or(characters),
    }
}

/// Returns the terminal's pixel protocol, from its environment variables.
fn of_terminal(get: &dyn Fn(&str) -> Option<String>) -> Option<ImageForm> {
    let term = get("TERM").unwrap_or_default();
    // What multiplexers let through depends on their configuration.
    let multiplexed = ["TMUX", "STY"].iter().any(|name| get(name).is_some())
        || ["tmux", "screen"].iter().any(|name| term.starts_with(name));
    if multiplexed {
        return None;
    }
    let program = get("TERM_PROGRAM").unwrap_or_default();
    if term == "xterm-kitty"
        || get("KITTY_WINDOW_ID").is_some()
        || matches!(program.as_str(), "ghostty" | "WezTerm")
    {
        return Some(ImageForm::Kitty);
    }
    let sixel = term.starts_with("foot") || term.starts_with("mlterm") || term.contains("sixel");
    sixel.then_some(ImageForm::Sixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(choice: Graphics, characters: ImageForm, environment: &[(&str, &str)]) -> ImageForm {
        let get = |name: &str| {
            environment.iter().find(|(its, _)| *its == name).map(|(_, value)| (*value).to_owned())
        };
        chosen(choice, characters, &get)
    }

    #[test]
    fn auto_takes_what_the_terminal_says_it_has() {
        use ImageForm::{Kitty, Palette, Sixel};
        let cases: [(&[(&str, &str)], ImageForm); 9] = [
            (&[("TERM", "xterm-kitty")], Kitty),
            (&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")], Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], Kitty),
            (&[("TERM", "foot-extra")], Sixel),
            (&[("TERM", "yaft-sixel")], Sixel),
            (&[("TERM", "xterm-256color")], Palette),
            (&[], Palette),
            (&[("TERM", "tmux-256color"), ("TERM_PROGRAM", "ghostty")], Palette),
            (&[("TERM", "foot"), ("TMUX", "/tmp/tmux")], Palette),
        ];
        for (environment, wanted) in cases {
            assert_eq!(form(Graphics::Auto, Palette, environment), wanted, "{environment:?}");
        }
    }

    #[test]
    fn what_is_asked_for_is_taken() {
        let kitty = [("TERM", "xterm-kitty")];
        assert_eq!(form(Graphics::Blocks, ImageForm::TrueColour, &kitty), ImageForm::TrueColour);
        assert_eq!(form(Graphics::Sixel, ImageForm::TrueColour, &kitty), ImageForm::Sixel);
        assert_eq!(form(Graphics::Auto, ImageForm::Shades, &kitty), ImageForm::Shades);
    }
}
