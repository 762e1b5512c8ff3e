//! How the functions of a behavior are called. It is said here once, and written in three ways: as WGSL for the active behaviors
//! of a scene (`shaders/calls.rs`), as Rust for the twins (`build.rs`), and with values for the interpreter (`cpu/own.rs`).

use super::behavior_file::{BehaviorFile, struct_name};

macro_rules! parts {
    ($($(#[$about:meta])* $part:ident $name:literal $returns:ident,)*) => {
        /// The functions of a behavior that the program calls.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Part {
            $($(#[$about])* $part,)*
        }

        impl Part {
            /// All of them.
            pub const ALL: &[Part] = &[$(Part::$part),*];

            /// The name of this function of a behavior.
            pub fn of(self, behavior: &str) -> String {
                match self {
                    $(Part::$part => format!(concat!("{}_", $name), behavior),)*
                }
            }

            /// What a call of this function gives.
            pub fn returns(self) -> Returned {
                match self {
                    $(Part::$part => Returned::$returns,)*
                }
            }
        }
    };
}

/// What a call of a behavior's function gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// The sum over neighbors so far.
    Sum,
    /// What the behavior adds to the combination: an acceleration, or an angular one.
    Acceleration,
    /// What the agent remembers for this behavior.
    Memory,
}

parts! {
    /// The sum before the first neighbor. A behavior without this function begins with zeros.
    Start "start" Sum,
    /// The sum with one more neighbor, for each that the behavior's vision perceives.
    Add "add" Sum,
    /// The sum with an agent at the very same point, which has no offset, where the vision perceives its species.
    AddCoincident "add_coincident" Sum,
    /// The acceleration that follows from the sum, u/s² before the weight.
    Resolve "resolve" Acceleration,
    /// The acceleration of an individual behavior, u/s² before the weight.
    Steer "steer" Acceleration,
    /// The angular acceleration of an angular behavior, rad/s² before the weight.
    Turn "turn" Acceleration,
    /// What the behavior remembers after a step, also after one in which the agent does not steer.
    Remember "remember" Memory,
}

/// What a call passes for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Argument<'a> {
    /// The behavior's parameter struct.
    Parameters,
    /// The agent.
    Agent,
    /// The goal that a member of the parameter struct names: the member, and its first word in the struct.
    Goal(&'a str, usize),
    /// The turning state of an angular behavior.
    Turner,
    /// The neighbor.
    Neighbor,
    /// What was summed so far.
    Sum,
    /// What the agent remembers for this behavior.
    Memory,
    /// The id of a coincident agent.
    Other,
    /// The model (in Rust, where the shader has globals).
    Model,
    /// The buffers (in Rust, where the shader has globals).
    Buffers,
}

/// A call of a behavior's function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call<'a> {
    /// Which function.
    pub part: Part,
    /// Its name.
    pub function: String,
    /// What is passed, in order.
    pub arguments: Vec<Argument<'a>>,
    /// The type of what it gives.
    pub returns: String,
}

impl Argument<'_> {
    /// True if a call of this function can pass it.
    fn is_for(self, part: Part) -> bool {
        match self {
            Argument::Parameters | Argument::Agent => part != Part::Start,
            Argument::Goal(..) => matches!(part, Part::Resolve | Part::Steer | Part::Turn),
            Argument::Turner => part == Part::Turn,
            Argument::Neighbor => part == Part::Add,
            Argument::Sum => matches!(part, Part::Add | Part::AddCoincident | Part::Resolve),
            Argument::Memory => matches!(part, Part::Steer | Part::Turn | Part::Remember),
            Argument::Other => part == Part::AddCoincident,
            Argument::Model | Argument::Buffers => true,
        }
    }
}

impl<'a> Call<'a> {
    /// The call of a function with these parameters (name and type); the types decide what is passed. `file` is the behavior's shader.
    ///
    /// # Errors
    /// Name and type of the first parameter for which there is nothing to pass.
    pub fn new(
        behavior: &str,
        file: &BehaviorFile<'a>,
        part: Part,
        parameters: &[(String, String)],
        returns: &str,
    ) -> Result<Self, (String, String)> {
        let structure = struct_name(behavior);
        let members = file.structure(&structure).map_or(&[][..], |own| &own.members);
        let mut targets = members.iter().filter(|member| member.ty == "Target");
        let mut argument = |(name, ty): &(String, String)| {
            let known = match ty.trim_start_matches('&') {
                _ if name == "sum" => Some(Argument::Sum),
                plain if plain == structure => Some(Argument::Parameters),
                plain if plain.strip_suffix("Memory") == Some(&structure) => Some(Argument::Memory),
                "Agent" => Some(Argument::Agent),
                "Goal" => targets.next().map(|member| Argument::Goal(member.name, member.first_word)),
                "Turner" => Some(Argument::Turner),
                "Neighbor" => Some(Argument::Neighbor),
                "CompiledScene" => Some(Argument::Model),
                "Buffers" => Some(Argument::Buffers),
                "u32" if name == "other" => Some(Argument::Other),
                _ => None,
            };
            known.filter(|known| known.is_for(part)).ok_or_else(|| (name.clone(), ty.clone()))
        };
        let arguments = parameters.iter().map(&mut argument).collect::<Result<_, _>>()?;
        Ok(Call { part, function: part.of(behavior), arguments, returns: returns.to_owned() })
    }

    /// The call as source text; `argument` gives the text of each argument.
    pub fn written(&self, argument: impl Fn(Argument<'a>) -> String) -> String {
        let arguments: Vec<String> = self.arguments.iter().map(|passed| argument(*passed)).collect();
        format!("{}({})", self.function, arguments.join(", "))
    }
}
