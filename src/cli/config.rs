//! The user's configuration: `gpulearn/config.toml` in the system's folder for configuration, that is `~/.config`
//! or `$XDG_CONFIG_HOME`, on Windows `%APPDATA%`. A setting is the default of the command-line option of its
//! name.

use super::graphics::Graphics;
use super::{Backend, CommandError, Result, shown_path};
use clap::Command;
use etcetera::BaseStrategy;
use report::escape;
use serde::Deserialize;
use std::io::ErrorKind;
use std::num::NonZero;
use std::path::PathBuf;

/// The contents of the file; every key is optional.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// `--backend`
    backend: Option<Backend>,
    /// `false` means `--no-color`.
    color: Option<bool>,
    /// `--jobs`
    jobs: Option<NonZero<u16>>,
    /// `--graphics`
    graphics: Option<Graphics>,
    /// The editor that the watch page's `e` key starts, in preference to `$VISUAL` and `$EDITOR`.
    pub editor: Option<String>,
}

impl Config {
    /// Returns the path of the file; `None` if there is no home directory.
    pub fn path() -> Option<PathBuf> {
        let folders = etcetera::choose_base_strategy().ok()?;
        Some(folders.config_dir().join("gpulearn").join("config.toml"))
    }

    /// Reads the configuration; the defaults where there is no file.
    ///
    /// # Errors
    ///
    /// The file can't be read, or contains something that is not a setting.
    pub fn read() -> Result<Config> {
        let Some(path) = Config::path() else { return Ok(Config::default()) };
        let shown = shown_path(&path);
        match std::fs::read_to_string(&path) {
            Ok(text) => Config::of(&text).map_err(|why| CommandError::usage(format!("{shown}: {why}"))),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                Ok(Config::default())
            }
            Err(error) => Err(CommandError::environment(format!("can't read {shown}: {error}"))),
        }
    }

    fn of(text: &str) -> Result<Config, String> {
        toml::from_str(text).map_err(|error| {
            let line = error.span().map(|at| cpp::place(text.as_bytes(), at.start).0);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            format!("{line}{}", escape(error.message()))
        })
    }

    /// Returns the command line with these settings as the defaults of its options.
    pub fn choices_of(&self, mut command: Command) -> Command {
        if let Some(backend) = self.backend {
            command = command.mut_arg("backend", |option| option.default_value(backend.name()));
        }
        if self.color == Some(false) {
            command = command.mut_arg("no_color", |option| option.default_value("true"));
        }
        if let Some(jobs) = self.jobs {
            // clap needs the string until the program ends.
            let jobs: &'static str = jobs.to_string().leak();
            command = command
                .mut_subcommand("check", |check| check.mut_arg("jobs", |option| option.default_value(jobs)));
        }
        if let Some(graphics) = self.graphics {
            let default =
                |check: Command| check.mut_arg("graphics", |option| option.default_value(graphics.name()));
            command = command.mut_subcommand("check", default);
        }
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read_and_others_refused_by_their_line() {
        let config = Config::of(
            "backend = \"sim\"\ncolor = false\njobs = 3\ngraphics = \"sixel\"\neditor = \"code --wait\"\n",
        )
        .unwrap();
        assert_eq!((config.backend, config.jobs), (Some(Backend::Sim), NonZero::new(3)));
        assert_eq!(config.graphics, Some(Graphics::Sixel));
        assert_eq!(Config::of(""), Ok(Config::default()));
        let wrong = Config::of("color = false\nbackand = \"sim\"\n").unwrap_err();
        assert!(wrong.starts_with("line 2: unknown field `backand`"), "{wrong}");
        assert!(Config::of("backend = \"cpu\"").unwrap_err().contains("`sim`"));
        assert!(Config::of("jobs = 0").is_err());
    }
}
