//! What a run may observe in addition to the columns that every row has: one table, from which the columns,
//! docs/observables.md and `--until` follow.

use super::error::suggest;
use super::keys::MAX_STATES;
use super::{Scene, Species};

/// One row of the table [`OBSERVABLES`].
#[derive(Debug, PartialEq, Eq)]
pub struct Observable {
    /// What is computed.
    pub quantity: Quantity,
    /// What it tells, in half a sentence.
    pub summary: &'static str,
    /// Its formula, over all agents that are not frozen.
    pub formula: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Unit of its columns.
    pub unit: &'static str,
    /// Its columns; empty where they depend on the scene.
    pub columns: &'static [&'static str],
    /// True if it takes a distance. If none is given, it is the largest perception radius of the scene.
    pub takes_distance: bool,
    /// How its cost grows.
    pub cost: &'static str,
}

impl Observable {
    /// The word by which a scene asks for it.
    pub fn name(&self) -> &'static str {
        self.quantity.word()
    }
}

words! {
    /// What an observable computes, with the word by which it is asked for.
    #[allow(missing_docs, reason = "the table says it")]
    pub enum Quantity {
        Milling = "milling",
        SpeedSpread = "speed_spread",
        Density = "density",
        DensityContrast = "density_contrast",
        NearestDistance = "nearest_distance",
        Groups = "groups",
        GroupPolarization = "group_polarization",
        VelocityCorrelation = "velocity_correlation",
        CorrelationLength = "correlation_length",
        Overlaps = "overlaps",
        States = "states",
        Lanes = "lanes",
        Way = "way",
        PathDeviation = "path_deviation",
    }
}

/// A cost that grows as the number of agents.
const LINEAR: &str = "grows as N";
/// A cost that grows as the pairs within a distance.
const BY_PAIRS: &str = "grows as the pairs within the distance";

/// All that a scene may ask for.
pub const OBSERVABLES: [Observable; 14] = [
    Observable {
        quantity: Quantity::Milling,
        summary: "whether all agents turn around their common middle in one direction",
        formula: "|Σ ĉ × v̂| / N, ĉ the direction from the middle of all to the agent, v̂ its heading; 0 to 1. Along an axis that wraps the \
                  middle is that of the angles 2πx/L. Agents within 2e-6 of the world's longest extent from the middle count as 0",
        source: "Couzin et al. 2002, J. theor. Biol. 218, group angular momentum; Bai and Breen 2008 for the middle",
        unit: "1",
        columns: &["milling"],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::SpeedSpread,
        summary: "how much speeds differ",
        formula: "√(Σ (|v| - mean)² / N), to 4e-6 of the largest max_speed of the scene",
        source: "standard deviation",
        unit: "u/s",
        columns: &["speed_spread"],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::Density,
        summary: "agents per area or volume, as an agent sees it",
        formula: "Σ n² / (V Σ n) over equal cells of the world with n agents and the volume V each, so many cells \
            that there are 32 agents of the scene for each; the agent itself is counted, so the value is 1 / V too \
            large, which matters where few agents are left",
        source: "Lloyd 1967, J. Anim. Ecol. 36, mean crowding, with the agent itself",
        unit: "1/u², in space 1/u³",
        columns: &["density"],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::DensityContrast,
        summary: "how unevenly agents are spread; 1 if at random",
        formula: "variance of n / mean of n over the same cells; empty where there are fewer than four",
        source: "index of dispersion, Fisher 1922",
        unit: "1",
        columns: &["density_contrast"],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::NearestDistance,
        summary: "how far away the nearest other agent is",
        formula: "Σ min |x - x'| / N; minimum-image distances, each to a millionth of \
            the mean spacing of agents; empty with fewer than two agents",
        source: "Clark and Evans 1954, Ecology 35",
        unit: "u",
        columns: &["nearest_distance"],
        takes_distance: false,
        cost: "grows as N, faster where agents lie on each other; agents that have no other near add their number \
            times N",
    },
    Observable {
        quantity: Quantity::Groups,
        summary: "how many groups there are, and how large",
        formula: "agents nearer to each other than the distance belong to one group, also by way of others; an agent \
            alone is a group too",
        source: "connected components; groups as in Huth and Wissel 1992",
        unit: "groups, agents, agents",
        columns: &["groups", "largest_group", "mean_group"],
        takes_distance: true,
        cost: BY_PAIRS,
    },
    Observable {
        quantity: Quantity::GroupPolarization,
        summary: "order within groups, whatever direction each group has",
        formula: "Σ |Σ v̂| / N, the inner sum over the agents of a group, the outer over groups",
        source: "Vicsek et al. 1995, by groups",
        unit: "1",
        columns: &["group_polarization"],
        takes_distance: true,
        cost: BY_PAIRS,
    },
    Observable {
        quantity: Quantity::VelocityCorrelation,
        summary: "whether near agents deviate from the mean velocity alike",
        formula: "mean of u · u' over pairs within the distance / mean of u², u = v - mean of v; empty without pairs, and where u is \
            below 6e-5 of the largest max_speed of the scene",
        source: "Cavagna et al. 2010, PNAS 107",
        unit: "1",
        columns: &["velocity_correlation"],
        takes_distance: true,
        cost: BY_PAIRS,
    },
    Observable {
        quantity: Quantity::CorrelationLength,
        summary: "the distance beyond which agents no longer deviate alike",
        formula: "where C(r) first falls through zero, the mean of u · u' over pairs at the distance r, in 64 bins up to half of \
            the longest way through the world, interpolated linearly; over about 2,048 agents that a hash of ids \
            chooses; empty if there is no zero",
        source: "Cavagna et al. 2010, PNAS 107",
        unit: "u",
        columns: &["correlation_length"],
        takes_distance: false,
        cost: "about two million pairs, whatever N is",
    },
    Observable {
        quantity: Quantity::Overlaps,
        summary: "pairs whose bodies overlap",
        formula: "the number of pairs with |x - x'| < r + r'",
        source: "counted",
        unit: "pairs",
        columns: &["overlaps"],
        takes_distance: false,
        cost: "grows as the pairs within two of the largest radii",
    },
    Observable {
        quantity: Quantity::States,
        summary: "how many agents of each species with action states are in each state, such as hunting, caught or \
            arrived",
        formula: "a column `SPECIES.STATE` for each",
        source: "counted",
        unit: "agents",
        columns: &[],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::Lanes,
        summary: "whether streams form lanes, each species in its own rows",
        formula: "mean of ((a - b)/(a + b))² over all agents of species that move, a the number of agents of its own \
            species in its row and b that of the others: near 0 if mixed, 1 in lanes. Rows are about as wide as the \
            distance, so that a whole number of them fits (at most 1,024 across a plane, 64 in space), and go through \
            the whole world along the axis along which the mean velocity of a species is greatest. By chance: the \
            mean of this over all ways to distribute the species over the places. Empty with one species",
        source: "Rex and Löwen 2007, Phys. Rev. E 75, 051402; by rows, and beside its mean by chance: Nowak and Schadschneider 2012, Phys. Rev. E 85, 066128",
        unit: "1",
        columns: &["lanes", "lanes_by_chance"],
        takes_distance: true,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::Way,
        summary: "how far agents are from the goal of the map that they head for, and how many have no way to it",
        formula: "the length of the way from each agent of a species that heads for a goal, to the first goal that it \
            heads for: the mean over agents that have a way; and the number of agents that have none",
        source: "the time of a front from the goal, at the speed 1",
        unit: "u; agents",
        columns: &["way", "without_way"],
        takes_distance: false,
        cost: LINEAR,
    },
    Observable {
        quantity: Quantity::PathDeviation,
        summary: "how far agents are from the path that they follow, and how many are outside of it",
        formula: "the distance of each agent of a species that follows or heads for a path, for the first one that it follows, to the nearest \
                  point of the path's line: its mean; and the number of those that are farther from it than half of its width; minimum-image distances",
        source: "Reynolds 1999, path following: the distance from the spine, which the path's radius bounds",
        unit: "u; agents",
        columns: &["path_deviation", "off_path"],
        takes_distance: false,
        cost: "grows as N times the points of the path",
    },
];

/// An observable that a scene asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requested {
    /// What is observed.
    pub observable: &'static Observable,
    /// The distance, u; 0 if the observable takes none.
    pub distance: f32,
}

impl Requested {
    /// Its columns.
    pub fn columns(&self, scene: &Scene) -> Vec<String> {
        match self.observable.quantity {
            Quantity::States => state_columns(&scene.species).map(|(_, column, _)| column).collect(),
            _ => self.observable.columns.iter().map(|column| (*column).to_owned()).collect(),
        }
    }
}

impl Scene {
    /// The observables that it asks for.
    pub fn requested(&self) -> Vec<Requested> {
        parse_observe(&self.observe, &self.species).unwrap_or_default()
    }
}

/// The action states of all species that have several: index of the species, name of the column, index of the state.
pub fn state_columns(species: &[Species]) -> impl Iterator<Item = (usize, String, u32)> {
    let several = species.iter().enumerate().filter(|(_, species)| species.states.len() > 1);
    several.flat_map(|(index, species)| {
        let states = (0..).zip(&species.states).take(MAX_STATES);
        states.map(move |(state, name)| (index, format!("{}.{name}", species.name), state))
    })
}

/// Parse the key `observe` of a scene, such as `milling, groups:2.5`.
///
/// # Errors
/// A message and a hint.
pub(super) fn parse_observe(text: &str, species: &[Species]) -> Result<Vec<Requested>, (String, String)> {
    let mut found: Vec<Requested> = Vec::new();
    for word in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
        let (name, distance) =
            word.split_once(':').map_or((word, None), |(name, rest)| (name.trim(), Some(rest.trim())));
        let Some(observable) = OBSERVABLES.iter().find(|row| row.name() == name) else {
            return Err((format!("`{name}` is no observable"), suggest(name, Quantity::WORDS)));
        };
        let form = format!("write {name}:2.5 for a distance of 2.5 u");
        let distance = match distance {
            None if !observable.takes_distance => 0.0,
            None => species.iter().map(Species::perception_radius).fold(0.0, f32::max),
            Some(_) if !observable.takes_distance => {
                return Err((format!("`{name}` takes no distance"), format!("write {name}")));
            }
            Some(text) => match text.parse::<f32>().ok().filter(|distance| (1e-6..=1e7).contains(distance)) {
                Some(distance) => distance,
                None => return Err((format!("`{text}` is not a distance from 1e-6 to 1e7"), form)),
            },
        };
        if observable.takes_distance && distance == 0.0 {
            return Err((format!("`{name}` needs a distance, because no agent perceives others"), form));
        }
        if observable.quantity == Quantity::States && state_columns(species).next().is_none() {
            return Err(("`states` needs a species with several action states".to_owned(), "leave it out".to_owned()));
        }
        if found.iter().any(|other| other.observable == observable) {
            return Err((format!("`{name}` is given twice"), "leave one out".to_owned()));
        }
        found.push(Requested { observable, distance });
    }
    Ok(found)
}
