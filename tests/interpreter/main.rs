//! The interpreter of WGSL: the shaders' own functions against their Rust twins, hostile programs, and the same text on
//! the GPU.

mod behaviors;
mod grid;
mod hostile;
mod on_gpu;
mod refused;
mod twins;

use steerling::cpu::interpreter::{Program, ProgramError};

/// A module of nothing but this text.
fn program(text: &str) -> Program {
    made(text, &[]).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// The same with these values of overrides.
fn made(text: &str, given: &[(&str, f64)]) -> Result<Program, ProgramError> {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    let mut validator = naga::valid::Validator::new(Default::default(), Default::default());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(text)));
    Program::new(&module, &info, &given.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect())
}
