//! Options that every command takes, and the commands that describe the command line itself.

use std::ffi::OsString;
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{Args, ValueEnum};
use clap_complete::Shell;

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub struct GlobalArgs {
    /// When to use colours: auto (on a terminal), always, never.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        value_enum,
        hide_possible_values = true,
        default_value = "auto"
    )]
    pub color: Colour,
    /// Treat warnings as errors: exit with code 3 if there is one.
    #[arg(long, global = true)]
    pub strict: bool,
    /// In CSV, write ' before texts that a spreadsheet would run as formulas (=, +, - or @ first); not for programs that read it.
    #[arg(long, global = true)]
    pub escape_formulas: bool,
}

/// When to use colours. `Auto` means on a terminal, unless `NO_COLOR` or `CLICOLOR_FORCE` says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Decides for all that is printed from now on.
    pub fn choose(self) {
        let choice = match self {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// What the words of a command line say about colours. Help and wrong usage are printed before there are arguments.
pub fn colour_in(words: impl IntoIterator<Item = OsString>) -> Option<Colour> {
    let words: Vec<String> = words.into_iter().filter_map(|word| word.into_string().ok()).collect();
    let value = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--color")? {
        "" => words.get(at + 1).map(String::as_str),
        value => value.strip_prefix('='),
    })?;
    Colour::from_str(value, false).ok()
}

#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub shell: Shell,
}

const COMPLETIONS_HELP: &str = "For bash: clmatch completions bash > ~/.local/share/bash-completion/completions/clmatch\n\
    For fish: clmatch completions fish > ~/.config/fish/completions/clmatch.fish\n\
    For zsh: clmatch completions zsh > a file _clmatch in a folder of $fpath";

#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub struct ManArgs {
    /// The command whose page is wanted [default: clmatch itself].
    pub command: Option<String>,
    /// Write the pages of all commands to this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
    /// Write Markdown instead of a manual page.
    #[arg(long)]
    pub markdown: bool,
}

const MAN_HELP: &str = "To read a page: clmatch man score | man -l -\n\
    To install all pages: clmatch man --dir ~/.local/share/man/man1";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_found_in_any_command_line() {
        let found = |words: &str| colour_in(words.split(' ').map(OsString::from));
        assert_eq!(found("clmatch --color never score --help"), Some(Colour::Never));
        assert_eq!(found("clmatch score --color=always"), Some(Colour::Always));
        for words in ["clmatch score", "clmatch --color", "clmatch --color=green", "clmatch --colour never"] {
            assert_eq!(found(words), None, "{words}");
        }
    }
}
