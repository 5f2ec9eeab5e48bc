//! `emilia completions` and `emilia man`: what shells and `man` want to know of the command line.

use super::options::reveal;
use super::output::{print, write_file};
use crate::engine::EngineOption;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::{Path, PathBuf};

/// Print what a shell needs to complete commands, options and values.
#[derive(Args, Clone, Debug)]
pub(super) struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print a manual page, or write them all.
#[derive(Args, Clone, Debug)]
pub(super) struct ManArguments {
    /// The command that the page is about, such as play, or match check; without it, the program as a whole
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
    /// Write the pages of all commands into this folder
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "path")]
    out: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub(super) fn run_completions(arguments: &CompletionsArguments) -> Result<(), String> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut reveal(super::command()), "emilia", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints or writes manual pages.
pub(super) fn run_man(arguments: &ManArguments) -> Result<(), String> {
    // Built, commands know their full names and the options that they share.
    let mut command = reveal(super::command()).disable_help_subcommand(true);
    command.build();
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder).map_err(|error| format!("cannot make '{}': {error}", folder.display()))?;
        return write_pages(&command, folder);
    }
    let mut wanted = &command;
    for name in &arguments.path {
        let known = || wanted.get_subcommands().map(Command::get_name).collect::<Vec<_>>().join(", ");
        wanted = wanted
            .find_subcommand(name)
            .ok_or_else(|| format!("there is no command '{name}'; expected one of: {}", known()))?;
    }
    print(&page(wanted)?)
}

fn page(command: &Command) -> Result<String, String> {
    let name = command.get_display_name().unwrap_or("emilia").to_owned();
    let examples = command.get_after_help().map(ToString::to_string);
    let command = command.clone().name(name).version(env!("CARGO_PKG_VERSION"));
    // As text behind the options the examples would be filled like prose.
    let man = Man::new(command.after_help(None::<&str>).mut_args(with_default_in_words));
    let mut roff = Vec::new();
    man.render(&mut roff).map_err(|error| error.to_string())?;
    let section = examples.as_deref().map_or_else(String::new, examples_section);
    Ok(String::from_utf8_lossy(&roff).into_owned() + &section)
}

/// An option whose default depends on the machine, which is another one where the page is read.
fn with_default_in_words(argument: Arg) -> Arg {
    let option = EngineOption::all().find(|option| argument.get_id() == option.name);
    let Some(words) = option.and_then(|option| option.default_in_words) else { return argument };
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    argument.help(format!("{help} [default: {words}]")).hide_default_value(true)
}

/// Examples, line by line as they are.
fn examples_section(examples: &str) -> String {
    let lines = examples.strip_prefix("Examples:\n").unwrap_or(examples).lines().map(|line| {
        let escaped = line.trim_start().replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        // A dot at the beginning would be a request.
        if escaped.starts_with('.') { format!("\\&{escaped}\n") } else { escaped + "\n" }
    });
    format!(".SH EXAMPLES\n.nf\n{}.fi\n", lines.collect::<String>())
}

fn write_pages(command: &Command, folder: &Path) -> Result<(), String> {
    let name = command.get_display_name().unwrap_or("emilia");
    let path = folder.join(format!("{name}.1"));
    write_file(&path, page(command)?.as_bytes())?;
    command.get_subcommands().try_for_each(|sub| write_pages(sub, folder))
}
