//! The part of the panel about the behaviors of a species: their rows, the page of their formulas, and the list to add one from.

use super::super::dialogs::Wish;
use super::super::format::{drawable, grouped, readable, short};
use super::super::gallery::fits;
use super::super::ghosts::scene_of;
use super::super::gui::{ACCENT, Field, Hint};
use super::super::meaning::numbers;
use super::rows::{choice, reach, slider};
use super::rules::acts_in;
use super::targets::target;
use super::{Edit, why};
use egui::{Align, Color32, Layout, RichText, TextEdit, Ui, vec2};
use glam::Vec3;
use steerling::scene::{Behavior, BehaviorSpec, Draft, Key, Range, SYMBOLS, Setting, Species, Target};
use steerling_conform::laws_of;

const FORMULA: Color32 = Color32::from_rgb(150, 205, 255);
/// Width of the bar that shows a share, points.
const BAR: f32 = 40.0;
/// Greatest width and height of the page of a behavior, points.
const PAGE_WIDTH: f32 = 640.0;
const PAGE_HEIGHT: f32 = 420.0;

fn about(spec: &BehaviorSpec) -> String {
    format!("{}\nKey: behaviors.{}", spec.summary, spec.name)
}

/// The numbers of a body that formulas name: symbol, value and unit.
pub type Body = [(&'static str, f32, &'static str); 3];

fn body_of(species: &Species) -> Body {
    [
        ("max_speed", species.max_speed, "u/s"),
        ("τ", species.time_constant, "s"),
        ("a", species.max_force / species.mass, "u/s²"),
    ]
}

/// Show the rows of the behaviors that are enabled in the scene or in the original.
pub fn behaviors(ui: &mut Ui, edit: &mut Edit, species: usize) {
    let Some(was) = edit.about.original.species.get(species) else { return };
    for (index, was) in was.behaviors.iter().enumerate() {
        let now = &edit.draft.species[species].behaviors[index];
        if now.enabled || was.enabled {
            ui.push_id(was.spec.name, |ui| behavior(ui, edit, was, (species, index)));
        }
    }
}

/// The share of a behavior in the steering of a species, and a text that says of whom: of the picked agent, if it is
/// of this species, or else the mean over a sample of agents.
fn share_of(edit: &Edit, species: usize, behavior: &str) -> Option<(f32, String)> {
    let of_picked = || {
        let portrait = edit.about.picked?;
        let why = &portrait.audited?.as_ref().ok()?.why;
        edit.about.scene.species_ids(species)?.contains(&portrait.id).then_some(())?;
        let term = why.terms.iter().find(|term| term.behavior == behavior)?;
        Some((term.share, format!("agent {} steers by", grouped(portrait.id.into()))))
    };
    let of_sample = || {
        let shares = edit.about.shares.get(species)?;
        let (_, share) = shares.of.iter().find(|(name, _)| *name == behavior)?;
        Some((*share, format!("{} agents of this species steer by, on average", shares.agents)))
    };
    of_picked().or_else(of_sample)
}

fn behavior(ui: &mut Ui, edit: &mut Edit, was: &Behavior, (species, index): (usize, usize)) {
    let spec = was.spec;
    let path = format!("species.{species}.behaviors.{}", spec.name);
    let several = edit.draft.species[species].states.len() > 1;
    let own = ["enabled", "weight"].into_iter().chain(several.then_some("states"));
    let names = own.chain(spec.parameters.iter().map(|parameter| parameter.name));
    let rows: Vec<_> = names.map(|name| format!("{path}.{name}")).collect();
    let hide = |edit: &mut Edit| {
        edit.rows.extend(rows.iter().map(|path| format!("{path}.point")));
        edit.rows.extend(rows.iter().cloned());
    };
    if !rows.iter().any(|path| edit.finds(path)) {
        return hide(edit);
    }
    let body = body_of(&edit.draft.species[species]);
    let share = share_of(edit, species, spec.name);
    let foldable = edit.found.is_all() && edit.draft.species[species].behaviors[index].enabled;
    let mut folded = foldable && edit.found.folded.contains(&path);
    let prefix = format!("{path}.");
    let changed_below = folded && edit.changes.keys.iter().any(|(key, _)| key.starts_with(&prefix));
    let now = &mut edit.draft.species[species].behaviors[index];
    ui.add_space(6.0);
    let name = readable(spec.name);
    let title = RichText::new(if changed_below { format!("• {name}") } else { name }).strong();
    let title = if now.enabled == was.enabled && !changed_below { title } else { title.color(ACCENT) };
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let (sign, hint) = if folded { ("⏵", "Show its values") } else { ("⏷", "Show its name alone") };
        let fold = egui::Button::new(RichText::new(sign).small()).frame(false);
        if ui.add_enabled(foldable, fold).hint(hint).clicked() {
            folded = !folded;
        }
        let response = ui.checkbox(&mut now.enabled, title).hint(about(spec));
        if response.secondary_clicked() {
            now.enabled = was.enabled;
        }
        // A behavior that was added and is switched off again gets its original values back, because no row would show changed ones.
        if response.changed() && !now.enabled && !was.enabled {
            now.clone_from(was);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = ui.small_button("Formula");
            let button = button.hint("What it computes, its source, and its laws");
            let popup = egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
            let left = egui::Layout::top_down(egui::Align::Min);
            // The page must fit into the window.
            let room = (ui.ctx().content_rect().size() - vec2(32.0, 48.0)).min(vec2(PAGE_WIDTH, PAGE_HEIGHT));
            popup.width(room.x).layout(left).show(|ui| page(ui, now, body, room, &mut edit.wishes));
            if let Some((share, whose)) = share {
                ui.add_space(3.0);
                let hint = format!("{:.0} % of what {whose}", 100.0 * share);
                let color = why::color_of_behavior(&why::in_order_of_colors(edit.about.original), spec.name);
                let bar = why::share(ui, BAR, color, share);
                let info = || egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, &hint);
                bar.widget_info(info);
                bar.hint(hint);
            }
        });
    });
    // Only enabled behaviors show their sliders, below.
    let enabled = now.enabled;
    edit.warn(ui, &format!("{path}.enabled"));
    if foldable {
        match folded {
            true => edit.found.folded.insert(path.clone()),
            false => edit.found.folded.remove(&path),
        };
    }
    if folded {
        return hide(edit);
    }
    if !enabled {
        return;
    }
    let weight = if was.weight == 0.0 { spec.default_weight } else { was.weight };
    slider(ui, edit, &format!("{path}.weight"), Some((weight.min(0.0) * 4.0, weight.max(0.0) * 4.0)));
    acts_in(ui, edit, &format!("{path}.states"), (species, index), was.states);
    let farthest = edit.draft.farthest_radius();
    for parameter in spec.parameters {
        let path = format!("{path}.{}", parameter.name);
        if matches!(parameter.range, Range::Target) {
            target(ui, edit, &path, (species, spec.name, parameter.name));
        }
        let Some((key, _)) = edit.draft.number_at(&path) else { continue };
        match key.range {
            Range::Choice(_) => choice(ui, edit, &path),
            Range::Whole { min, max } => slider(ui, edit, &path, Some((min as f32, max as f32))),
            _ => {
                let was = edit.original_number(&path).unwrap_or_default();
                slider(ui, edit, &path, Some(span(&key, was, parameter.default, farthest)));
            }
        }
    }
}

/// The lower and the upper end of the slider of a parameter. `was`: its value in the original scene; `farthest`: the greatest radius.
fn span(key: &Key, was: f32, default: f32, farthest: f32) -> (f32, f32) {
    let (min, max) = key.bounds().unwrap_or(reach(key, was));
    let base = if was > 0.0 { was } else { default.max(1.0) };
    let end = match key.unit {
        "deg" => max,
        // The number of neighbors grows with the square or the cube of the radius.
        "u" => (2.0 * base).min(farthest),
        _ => 4.0 * base,
    };
    (min, end.min(max))
}

/// Show the button that opens a list of all other behaviors, to add one.
pub fn add(ui: &mut Ui, edit: &mut Edit, species: usize, search: &mut String) {
    let (now, was) = (&edit.draft.species[species], &edit.about.original.species[species]);
    let others = now.behaviors.iter().zip(&was.behaviors).enumerate();
    let others = others.filter(|(_, (now, was))| !now.enabled && !was.enabled);
    let others: Vec<_> = others.map(|(index, (now, _))| (index, now.spec, now.spec.lacks(edit.about.scene))).collect();
    ui.add_space(8.0);
    let button = ui.button("+ Add behavior").hint("Another behavior for this species");
    let popup = egui::Popup::menu(&button).close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    popup.width(250.0).show(|ui| {
        let field = TextEdit::singleline(search)
            .margin(egui::Margin::symmetric(6, 4))
            .hint_text("Search")
            .desired_width(f32::INFINITY);
        let field = ui.add(field).hint("Enter takes the first one found");
        if !field.has_focus() && search.is_empty() {
            field.request_focus();
        }
        let entered = field.entered();
        let fits =
            |spec: &BehaviorSpec| fits(search, &format!("{} {} {}", spec.name, readable(spec.name), spec.summary));
        let found: Vec<_> = others.iter().filter(|(_, spec, _)| fits(spec)).collect();
        let able: Vec<_> = found.iter().filter(|(_, _, lack)| lack.is_none()).collect();
        let unable = found.iter().filter_map(|(_, spec, lack)| lack.map(|lack| (spec, lack)));
        let first = able.first().map(|(index, ..)| *index);
        let mut chosen = first.filter(|_| entered && !search.is_empty());
        egui::ScrollArea::vertical().max_height(260.0).show(ui, |ui| {
            for (index, spec, _) in &able {
                let entry = ui.selectable_label(false, readable(spec.name)).hint(about(spec));
                chosen = chosen.or(entry.clicked().then_some(*index));
            }
            for (spec, (table, what)) in unable {
                let entry = egui::Button::selectable(false, readable(spec.name));
                ui.add_enabled(false, entry).hint(format!("The scene has no {what}: {table}\n{}", about(spec)));
            }
            if found.is_empty() {
                ui.weak("No other behavior has this in its name or text.");
            }
        });
        if let Some(index) = chosen {
            enable(&mut edit.draft, species, index);
            search.clear();
            ui.close();
        }
    });
}

/// Enable a behavior so that its effect is visible: a target at the origin becomes the mouse, and a practically unlimited distance becomes
/// a quarter of the world.
pub fn enable(draft: &mut Draft, species: usize, index: usize) {
    let quarter = 0.25 * draft.world.size.x.min(draft.world.size.y);
    let behavior = &mut draft.species[species].behaviors[index];
    behavior.enabled = true;
    if behavior.weight == 0.0 {
        behavior.weight = behavior.spec.default_weight;
    }
    for (parameter, setting) in behavior.spec.parameters.iter().zip(&mut behavior.parameters) {
        match setting {
            Setting::Target(target) if *target == Target::Point(Vec3::ZERO) => *target = Target::Mouse,
            // The default is practically unlimited.
            Setting::Number(number) if *number == parameter.default && parameter.unit == "u" && *number > 1e5 => {
                *number = quarter
            }
            _ => {}
        }
    }
}

/// Show the page of a behavior: the header comment of its shader, present values, and its laws.
fn page(ui: &mut Ui, behavior: &Behavior, body: Body, room: egui::Vec2, wishes: &mut Vec<Wish>) {
    let spec = behavior.spec;
    egui::ScrollArea::vertical().max_height(room.y).show(ui, |ui| {
        ui.set_max_width(room.x - 12.0);
        let scene = scene_of(spec.name).filter(|_| ui.link("See a law in a scene").hint(GHOST).clicked());
        wishes.extend(scene.map(Wish::Open));
        if spec.file.header.is_empty() {
            ui.label(spec.summary);
        }
        let font = egui::TextStyle::Monospace.resolve(ui.style());
        let columns = ((room.x - 12.0) / ui.fonts_mut(|fonts| fonts.glyph_width(&font, '0'))) as usize;
        let last = spec.file.header.iter().rposition(|line| is_formula(line));
        let (mut lines, mut idle) = (0, false);
        for part in spec.file.header.chunk_by(|one, next| is_prose(one) && is_prose(next)) {
            lines += part.len();
            if part[0].is_empty() {
                ui.add_space(3.0);
                continue;
            }
            // An indented line is a formula, which is not joined with others.
            let text = drawable(part.join(" ").trim_end());
            // The values choose another form than that of this formula; a line that is indented deeper belongs to the one before.
            idle = if part[0].starts_with("     ") { idle } else { holds(part[0], behavior) == Some(false) };
            let text = match is_formula(part[0]) {
                true if idle => RichText::new(hanging(&text, columns)).monospace().weak(),
                true => RichText::new(hanging(&text, columns)).monospace().color(FORMULA),
                false => RichText::new(text),
            };
            ui.add(egui::Label::new(text).wrap());
            if last.is_some_and(|last| lines == last + 1) {
                ui.add(egui::Label::new(RichText::new(values(behavior, body)).small()).wrap()).hint(SYMBOLS);
            }
        }
        let laws = laws_of(spec);
        if !laws.is_empty() {
            ui.add_space(6.0);
            ui.label(RichText::new("Laws of all its forms").strong())
                .hint("Each is tried on the GPU and on the reference, with values of its own");
        }
        for law in laws {
            ui.add(egui::Label::new(format!("• {}", drawable(law.statement))).wrap()).hint(law.name);
        }
    });
}

/// Break a formula between words into lines of at most `columns` characters. Continuation lines are indented deeper than the first.
pub fn hanging(formula: &str, columns: usize) -> String {
    let deeper = " ".repeat(formula.len() - formula.trim_start().len() + 4);
    let (mut text, mut length) = (String::new(), 0);
    for word in formula.split_inclusive(' ') {
        if length > deeper.len() && length + word.trim_end().chars().count() > columns {
            text = text.trim_end().to_owned() + "\n" + &deeper;
            length = deeper.len();
        }
        text += word;
        length += word.chars().count();
    }
    text
}

const GHOST: &str = "Open a scene of a law with a closed form, with the path that it expects beside the agent";

/// A text with the present values of the weight and of all numbers that a behavior's formulas name.
pub fn values(behavior: &Behavior, body: Body) -> String {
    let spec = behavior.spec;
    let formulas = spec.file.header.iter().filter(|line| is_formula(line));
    let named: Vec<&str> = formulas.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let own = numbers(behavior).map(|(parameter, value)| (parameter.name, value, parameter.unit));
    let weight = ("weight", behavior.weight, spec.weight_unit.split(';').next().unwrap_or(""));
    let told = own.chain(body).filter(|(name, ..)| named.contains(name));
    let text = |(name, value, unit): (&str, f32, &str)| format!("{name} = {} {unit}", short(value.into()));
    let all = std::iter::once(weight).chain(told).map(|number| text(number).trim_end().to_owned());
    let words = numbers(behavior).filter_map(|(parameter, value)| match parameter.range {
        Range::Choice(words) if words.iter().any(|word| named.contains(word)) => {
            Some(format!("{} = {}", parameter.name, words.get(value as usize)?))
        }
        _ => None,
    });
    format!("Now {}", words.chain(all).collect::<Vec<_>>().join(", "))
}

/// Does the form of a formula hold with the values of the behavior? `None` for a formula whose label is no word of a parameter.
pub fn holds(formula: &str, behavior: &Behavior) -> Option<bool> {
    let (label, _) = formula.trim_start().split_once(':')?;
    numbers(behavior).find_map(|(parameter, value)| match parameter.range {
        Range::Choice(words) => words.iter().position(|word| *word == label).map(|index| index == value as usize),
        _ => None,
    })
}

/// Is a line of a shader's header comment a formula, that is, indented?
pub fn is_formula(line: &str) -> bool {
    line.starts_with("  ")
}

/// Is a line of a shader's header comment part of a paragraph?
fn is_prose(line: &str) -> bool {
    !line.is_empty() && !is_formula(line)
}
