//! The page of a command as Markdown, for the book.

use clap::{Arg, Command};

/// The page of a command: its purpose, its usage, and its arguments under their headings.
pub fn page(command: &Command) -> String {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let about = command.get_long_about().or_else(|| command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let mut page =
        format!("# {name}\n\n{}\n\n```text\n{}\n```\n", prose(&about), usage.replace("Usage: ", ""));

    let mut headings: Vec<&str> = Vec::new();
    for argument in shown(command) {
        let heading = heading(argument);
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading_of in headings {
        page += &format!("\n## {heading_of}\n\n| argument | what it does |\n|---|---|\n");
        for argument in shown(command).filter(|argument| heading(argument) == heading_of) {
            page += &format!("| {} | {} |\n", call(argument), meaning(argument));
        }
    }
    let commands: Vec<&Command> = command.get_subcommands().filter(|sub| !sub.is_hide_set()).collect();
    if !commands.is_empty() {
        page += "\n## Commands\n\n| command | what it does |\n|---|---|\n";
        for sub in commands {
            let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
            page += &format!("| [{0}]({0}.md) | {1} |\n", sub.get_name(), cell(&about));
        }
    }
    if let Some(more) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        page += &format!("\n## More\n\n```text\n{}\n```\n", more.to_string().trim_end());
    }
    page
}

/// The arguments worth showing: those that every command has (help, version) are left out.
fn shown(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|argument| {
        !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
    })
}

fn heading(argument: &Arg) -> &str {
    argument.get_help_heading().unwrap_or(if argument.is_positional() { "Arguments" } else { "Options" })
}

/// How an argument is written: `-o, --output <FILE>`.
fn call(argument: &Arg) -> String {
    format!("`{}`", argument.to_string().replace('|', "\\|"))
}

/// The purpose of an argument, its default and its possible values.
fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut text = cell(&help.map(ToString::to_string).unwrap_or_default());
    let takes_value = argument.get_action().takes_values();
    let defaults: Vec<_> =
        argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    if takes_value && !defaults.is_empty() {
        text += &format!(" [default: {}]", cell(&defaults.join(", ")));
    }
    let values: Vec<String> =
        argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    if takes_value && !values.is_empty() {
        text += &format!(" [one of: {}]", values.join(", "));
    }
    text
}

/// Text for a paragraph, in which nothing may be taken for a tag.
fn prose(text: &str) -> String {
    text.replace('<', "&lt;")
}

/// Text for a cell of a table: one line, without bars.
fn cell(text: &str) -> String {
    prose(&text.split_whitespace().collect::<Vec<_>>().join(" ")).replace('|', "\\|")
}
