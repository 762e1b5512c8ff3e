//! Why laws do not find a change of ten percent of some numbers of their scenes.

/// Numbers of the setting, which laws need and do not speak of.
const SETTING: &[(&str, &str)] = &[
    ("dt", "the law holds for every time step that is short enough"),
    ("world.size", "the world only has to be large enough"),
];

/// Laws, or groups of them by how their names begin, their numbers, and the reason.
const BLIND: &[(&[&str], &[&str], &str)] = &[
    (
        &["symmetry_", "stay_on_path_either_way", "skip_leaves_others", "arrive_ignores_motion", "targets_agree"],
        &[],
        "the law compares two runs, and both have the changed number",
    ),
    (
        &["alignment_momentum", "cohesion_momentum", "separation_momentum", "morse_momentum"],
        &[],
        "what is conserved is conserved whatever the number",
    ),
];

/// The reason why a law does not find a smaller change of a number, where one is given.
pub(super) fn reason(law: &str, number: &str) -> Option<&'static str> {
    let of_setting = SETTING.iter().find(|(name, _)| *name == number).map(|(_, reason)| *reason);
    let fits = |(laws, numbers, _): &&(&[&str], &[&str], &str)| {
        laws.iter().any(|name| law.starts_with(name)) && (numbers.is_empty() || numbers.contains(&number))
    };
    of_setting.or(BLIND.iter().find(fits).map(|(_, _, reason)| *reason))
}
