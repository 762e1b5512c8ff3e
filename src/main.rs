//! The command line; see [`steerling::cli`].

fn main() -> std::process::ExitCode {
    steerling::cli::main()
}
