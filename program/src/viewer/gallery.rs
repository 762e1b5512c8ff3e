//! The gallery of scenes to choose from: recently opened files, and the presets in groups, each with a picture.

use super::cards::{CARD, Card, FILE_CARD, PICTURE, Pictures};
use super::dialogs::Wish;
use super::format::{grouped, readable};
use super::gui::{Asks, Field};
use super::remembered::Remembered;
use egui::{Key, RichText, Ui};
use std::path::Path;
use std::sync::LazyLock;
use steerling::scene::{PRESETS, Scene, Vehicle};

/// The groups of presets: a heading, and names separated by spaces. Presets in no group come last, under the heading [`OTHERS`].
const GROUPS: &[(&str, &str)] = &[
    (
        "Flocks, shoals and herds",
        "murmuration flock topological rivals consensus vicsek gulls fish_tank globe knot hills zones mills",
    ),
    ("Hunters and the hunted", "predator_and_prey hawks hounds flies hide"),
    (
        "Crowds",
        "crossing_crowds crowd bodyguards seek_and_flee arrive queue crossing crossroads bottleneck evacuation stadium",
    ),
    ("Games", "soccer capture_the_flag"),
    ("Towns and mazes", "city maze alleys"),
    ("Leaders and followers", "leader_following offset_pursuit formation lure"),
    (
        "Roads, walls and rocks",
        "traffic runners three_ways garden_path obstacles wall_following whiskers pens windmills",
    ),
    ("Wind and water", "wind wakes tides"),
    ("Food and decisions", "slime veins ants_trail foraging_ants explore actions priority"),
    ("Bodies", "locomotion rally facing orbits wander"),
    ("As other systems do it", "nature_of_code opensteer netlogo"),
];
const OTHERS: &str = "More";

const GAP: f32 = 10.0;

/// A preset as the gallery shows it.
struct Entry {
    name: &'static str,
    /// Index of its group; one past the last if it has none.
    group: usize,
    shows: String,
    agents: u32,
    /// Other words that a search finds it by, see [`words`].
    words: String,
}

static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let entry = |preset: &steerling::scene::Preset| {
        let scene = Scene::parse(preset.text, preset.name, &[]).ok()?;
        let group = GROUPS.iter().position(|(_, names)| names.split(' ').any(|name| name == preset.name));
        let (name, agents) = (preset.name, scene.agent_count());
        Some(Entry {
            name,
            group: group.unwrap_or(GROUPS.len()),
            shows: scene.shows.clone(),
            agents,
            words: words(&scene),
        })
    };
    let mut entries: Vec<Entry> = PRESETS.iter().filter_map(entry).collect();
    let place =
        |entry: &Entry| GROUPS.get(entry.group).and_then(|(_, names)| names.split(' ').position(|n| n == entry.name));
    entries.sort_by_key(|entry| (entry.group, place(entry)));
    entries
});

/// Words that a search finds a scene by, beside its name and text: dimensions, species, active behaviors, and "vehicle".
fn words(scene: &Scene) -> String {
    let mut words = vec![if scene.world.spatial { "3D 3-D space spatial" } else { "2D 2-D plane flat" }.to_owned()];
    for species in &scene.species {
        words.push(species.name.clone());
        let acting = species.behaviors.iter().filter(|behavior| behavior.is_active());
        words.extend(acting.flat_map(|behavior| [behavior.spec.name.to_owned(), readable(behavior.spec.name)]));
    }
    words.extend(scene.species.iter().any(|s| s.vehicle != Vehicle::default()).then(|| "vehicle".to_owned()));
    words.join(" ")
}

/// The preset that is `step` places after this one in the gallery, cyclically; the first if `name` is no preset.
pub fn neighbor(name: &str, step: isize) -> &'static str {
    let count = ENTRIES.len() as isize;
    let at = ENTRIES.iter().position(|entry| entry.name == name);
    ENTRIES[at.map_or(0, |at| (at as isize + step).rem_euclid(count)) as usize].name
}

/// The name that opens a new scene.
pub const NEW_SCENE: &str = "a new scene";

/// The origin of a new scene, in place of a file name.
pub const UNTITLED: &str = "untitled";

/// The file that a scene came from, if that exists; `None` for a preset.
pub fn file_of(scene: &Scene) -> Option<&str> {
    let origin = scene.source.origin.as_str();
    (!is_preset(scene) && std::path::Path::new(origin).is_file()).then_some(origin)
}

/// Does the scene come from a preset, with or without changes?
pub fn is_preset(scene: &Scene) -> bool {
    PRESETS.iter().any(|preset| preset.name == scene.source.origin)
}

/// `name`, which is that of the scene, followed by its file's name if that differs from the scene's.
pub fn called(scene: &Scene, name: String) -> String {
    match file_of(scene).map(file_name).filter(|file| file.strip_suffix(".toml") != Some(&scene.name)) {
        Some(file) => format!("{name} ({file})"),
        None => name,
    }
}

/// The state of the gallery while it is open.
#[derive(Default)]
pub struct Gallery {
    search: String,
    /// Was it shown already, so that its search has had the focus?
    opened: bool,
    /// The choice of arrow keys since the search was last typed in: a preset, or the path of a file.
    chosen: Option<String>,
}

impl Gallery {
    /// Give the focus to the search when the gallery is shown next.
    pub fn take_focus(&mut self) {
        self.opened = false;
    }

    /// Show the gallery within a dialog. `now` is the scene that is open. Adds what was chosen.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        now: &Scene,
        pictures: &mut Pictures,
        remembered: &Remembered,
        wishes: &mut Vec<Wish>,
    ) {
        let room = ui.ctx().content_rect().size();
        let columns = (((room.x - 70.0 + GAP) / (PICTURE[0] + GAP)).floor() as usize).clamp(1, 6);
        ui.set_width(columns as f32 * (PICTURE[0] + GAP) + 8.0);
        let mut moved = self.choose(ui, columns, now, remembered);
        let open = file_of(now).and_then(|file| std::path::absolute(file).ok());
        if !self.opened {
            pictures.files.clear();
        }
        let mut entered = false;
        ui.horizontal(|ui| {
            ui.heading("Scenes");
            let new = ui.button("New scene").on_hover_text("One species that wanders, for a scene of your own");
            new.asks_for(wishes, Wish::Open(NEW_SCENE.to_owned()));
            let browse = ui.button("Browse…").on_hover_text("Choose a file in a dialog of the desktop");
            browse.asks_for(wishes, Wish::Browse);
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.button("✖").on_hover_text("Close (Esc)").asks_for(wishes, Wish::Close);
                let field = egui::TextEdit::singleline(&mut self.search)
                    .hint_text("Search, or the path of a file")
                    .desired_width((ui.available_width() - 90.0).clamp(80.0, 240.0));
                let response =
                    ui.add(field).on_hover_text("Enter opens the first scene found; arrow keys choose another");
                if response.changed() {
                    (self.chosen, moved) = (None, true);
                }
                if !std::mem::replace(&mut self.opened, true) {
                    response.request_focus();
                }
                entered = response.entered();
            });
        });
        // Computed after the field, because text and Enter may come in one frame.
        let first = self.chosen.clone().or_else(|| self.first(remembered.recent()));
        wishes.extend(first.clone().filter(|_| entered).map(Wish::Open));
        let height = (room.y - 130.0).max(60.0);
        // A fixed height, so that the search field does not move when fewer scenes are found.
        let room = egui::ScrollArea::vertical().max_height(height).min_scrolled_height(height).auto_shrink(false);
        // If the choice moved, scroll to the card that Enter opens.
        let mut place = |ui: &mut Ui, card: Card, name: &str, open, shown| {
            let chosen = first.as_deref() == Some(name);
            let card = card.show(ui, (open, chosen), shown);
            if moved && chosen {
                card.scroll_to_me(None);
            }
            card.asks_for(wishes, Wish::Open(name.to_owned()));
        };
        room.show(ui, |ui| {
            let mut found = false;
            let files = self.files(remembered);
            if !files.is_empty() {
                found = true;
                ui.label(RichText::new("Files").strong());
                for row in files.chunks(columns) {
                    ui.horizontal(|ui| {
                        ui.spacing_mut().item_spacing.x = GAP;
                        for path in row {
                            let folder = Path::new(path).parent().map(|folder| folder.display().to_string());
                            let card = Card {
                                label: file_name(path),
                                title: file_name(path).to_owned(),
                                below: folder.unwrap_or_default(),
                                text: "",
                                hint: path.to_string(),
                                height: FILE_CARD,
                            };
                            let shown = remembered.picture(path).and_then(|file| pictures.of_file(ui.ctx(), file));
                            place(ui, card, path, open.as_deref() == Some(Path::new(path)), shown);
                        }
                    });
                }
            }
            let rows = self.rows(columns);
            found |= !rows.is_empty();
            for (row, entries) in rows.iter().enumerate() {
                let group = entries[0].group;
                if row == 0 || rows[row - 1][0].group != group {
                    ui.add_space(6.0);
                    ui.label(RichText::new(heading(group)).strong());
                }
                ui.horizontal(|ui| {
                    ui.spacing_mut().item_spacing.x = GAP;
                    for entry in entries {
                        let shown = pictures.find(ui.ctx(), entry.name);
                        let card = Card {
                            label: entry.name,
                            title: readable(entry.name),
                            below: format!("{} agents", grouped(entry.agents.into())),
                            text: &entry.shows,
                            hint: format!("{}\n\n{}", readable(entry.name), entry.shows),
                            height: CARD,
                        };
                        place(ui, card, entry.name, entry.name == now.source.origin, shown);
                    }
                });
            }
            if !found {
                ui.label("No scene has this in its name, its text or its behaviors.");
            }
        });
        ui.separator();
        let text = match first {
            Some(first) => format!("Enter opens {first}"),
            None => "A scene file (.toml), or a picture of a run (.png), can be dropped on the window.".to_owned(),
        };
        ui.add(egui::Label::new(RichText::new(text).weak().small()).truncate());
    }

    fn finds(&self, entry: &Entry) -> bool {
        let group = heading(entry.group);
        fits(&self.search, &format!("{} {} {} {group} {}", entry.name, readable(entry.name), entry.shows, entry.words))
    }

    /// The recent files that the search finds.
    fn files<'a>(&self, remembered: &'a Remembered) -> Vec<&'a str> {
        remembered.recent().filter(|path| fits(&self.search, path)).collect()
    }

    /// The presets that the search finds, in rows; each row has presets of one group.
    fn rows(&self, columns: usize) -> Vec<Vec<&'static Entry>> {
        let found: Vec<&Entry> = ENTRIES.iter().filter(|entry| self.finds(entry)).collect();
        let groups = found.chunk_by(|one, next| one.group == next.group);
        groups.flat_map(|group| group.chunks(columns)).map(<[_]>::to_vec).collect()
    }

    /// Move the choice by arrow keys, starting at what Enter would open, or else at the open scene. While there is text in the search and
    /// no choice yet, left and right belong to the text. Returns whether the choice moved.
    fn choose(&mut self, ui: &Ui, columns: usize, now: &Scene, remembered: &Remembered) -> bool {
        // In a slow frame a key may come several times.
        let pressed = |key| {
            let times = ui.input_mut(|input| input.count_and_consume_key(egui::Modifiers::NONE, key));
            std::iter::repeat_n(key, times)
        };
        let mut keys: Vec<Key> = pressed(Key::ArrowUp).chain(pressed(Key::ArrowDown)).collect();
        if self.search.is_empty() || self.chosen.is_some() {
            keys.extend(pressed(Key::ArrowLeft).chain(pressed(Key::ArrowRight)));
        }
        if keys.is_empty() {
            return false;
        }
        let (files, presets) = (self.files(remembered), self.rows(columns));
        let presets = presets.iter().map(|row| row.iter().map(|entry| entry.name).collect());
        let rows: Vec<Vec<&str>> = files.chunks(columns).map(<[_]>::to_vec).chain(presets).collect();
        let Some(last) = rows.len().checked_sub(1) else { return false };
        let first = self.first(remembered.recent());
        let from = self.chosen.as_deref().or(first.as_deref()).unwrap_or(&now.source.origin);
        let place = |row: &Vec<&str>| row.iter().position(|name| *name == from);
        let at = rows.iter().enumerate().find_map(|(row, entries)| place(entries).map(|column| (row, column)));
        let next = |at: Option<(usize, usize)>, key: Key| {
            let (row, column) = match (at, key) {
                (None, _) => (0, 0),
                (Some((0, 0)), Key::ArrowLeft) => (0, 0),
                (Some((row, 0)), Key::ArrowLeft) => (row - 1, columns),
                (Some((row, column)), Key::ArrowLeft) => (row, column - 1),
                (Some((row, column)), Key::ArrowRight) if column + 1 == rows[row].len() && row < last => (row + 1, 0),
                (Some((row, column)), Key::ArrowRight) => (row, column + 1),
                (Some((row, column)), Key::ArrowUp) => (row.saturating_sub(1), column),
                (Some((row, column)), _) => ((row + 1).min(last), column),
            };
            Some((row, column.min(rows[row].len() - 1)))
        };
        let chosen = keys.into_iter().fold(at, next).map(|(row, column)| rows[row][column].to_owned());
        self.chosen = chosen;
        true
    }

    /// What Enter opens: the first that the search finds by its name, a preset or else a recent file, or by its text; otherwise the typed
    /// text, if it looks like the path of a file. `None` without a search.
    fn first<'a>(&self, mut recent: impl Iterator<Item = &'a str>) -> Option<String> {
        let search = self.search.trim();
        let exact = ENTRIES.iter().find(|entry| entry.name == search);
        let named = || ENTRIES.iter().find(|entry| fits(search, &format!("{} {}", entry.name, readable(entry.name))));
        let told = || ENTRIES.iter().find(|entry| self.finds(entry)).map(|entry| entry.name);
        let first = exact.or_else(named).map(|entry| entry.name);
        let path = || {
            (search.ends_with(".toml") || search.ends_with(".png") || search.contains(std::path::is_separator))
                .then_some(search)
        };
        let first = first.or_else(|| recent.find(|path| fits(search, file_name(path)))).or_else(told).or_else(path);
        first.filter(|_| !search.is_empty()).map(str::to_owned)
    }
}

/// The heading of a group.
fn heading(group: usize) -> &'static str {
    GROUPS.get(group).map_or(OTHERS, |(name, _)| name)
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Does a text contain all words of a search, in any case and order?
pub fn fits(search: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    search.split_whitespace().all(|word| text.contains(&word.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::viewer::tests::{Hands, harness};
    use egui::vec2;

    #[test]
    fn groups_name_presets_and_each_only_once() {
        let mut seen = Vec::new();
        for name in GROUPS.iter().flat_map(|(_, names)| names.split(' ')) {
            assert!(PRESETS.iter().any(|preset| preset.name == name), "{name} is no preset");
            assert!(!seen.contains(&name), "{name} is in two groups");
            seen.push(name);
        }
        assert_eq!(ENTRIES.len(), PRESETS.len(), "every preset can be chosen");
    }

    #[test]
    fn pages_lead_through_all_presets_and_around() {
        let mut name = neighbor("my own.toml", 1);
        let mut seen = vec![name];
        while neighbor(name, 1) != seen[0] {
            assert_eq!(neighbor(neighbor(name, 1), -1), name);
            name = neighbor(name, 1);
            seen.push(name);
        }
        assert_eq!(seen.len(), PRESETS.len());
    }

    type Desk = (Gallery, Vec<Wish>);

    /// The gallery with these remembered files, opened from `flock`, and its wishes.
    fn desk(remembered: Remembered) -> egui_kittest::Harness<'static, Desk> {
        let now = Scene::open("flock", &[]).expect("a preset");
        harness(vec2(1100.0, 700.0), Desk::default(), move |ui, (gallery, wishes)| {
            gallery.show(ui, &now, &mut Pictures::default(), &remembered, wishes);
        })
    }

    fn press(key: Key, pressed: bool) -> egui::Event {
        egui::Event::Key { key, physical_key: None, pressed, repeat: false, modifiers: egui::Modifiers::NONE }
    }

    #[test]
    fn every_arrow_key_of_a_slow_frame_counts() {
        let mut desk = desk(Remembered::default());
        desk.input_mut().events.extend([(); 2].map(|()| press(Key::ArrowRight, true)));
        desk.run();
        assert_eq!(desk.state().0.chosen.as_deref(), Some("rivals"), "two after flock");
    }

    #[test]
    fn text_and_enter_may_come_in_one_frame() {
        let mut desk = desk(Remembered::default());
        desk.input_mut().events.push(egui::Event::Text("predator".to_owned()));
        desk.input_mut().events.extend([true, false].map(|pressed| press(Key::Enter, pressed)));
        desk.run();
        let opened = desk.state().1.iter().map(|wish| match wish {
            Wish::Open(name) => name.as_str(),
            _ => "something else",
        });
        assert_eq!(opened.collect::<Vec<_>>(), ["predator_and_prey"]);
    }

    #[test]
    fn arrow_keys_choose_what_enter_opens() {
        let mut desk = desk(Remembered::default());
        let mut after = |keys: &[egui::Key]| {
            keys.iter().for_each(|key| desk.press(*key));
            desk.state().0.chosen.clone()
        };
        let some = |name: &str| Some(name.to_owned());
        use egui::Key::{ArrowDown as Down, ArrowLeft as Left, ArrowRight as Right, ArrowUp as Up, Enter};
        // Rows have six cards: murmuration, flock, topological, rivals, consensus, vicsek; gulls, ...
        assert_eq!(after(&[Right]), some("topological"), "from the scene that is open");
        assert_eq!(after(&[Down]), some("globe"));
        assert_eq!(after(&[Left, Left, Left]), some("vicsek"), "from the start of a row to the end of the one before");
        assert_eq!(after(&[Right]), some("gulls"));
        assert_eq!(after(&[Up, Left, Up]), some("murmuration"), "and no farther");
        let last = ENTRIES.last().expect("presets").name;
        assert_eq!(after(&[Down; 30]).map(|name| ENTRIES.iter().any(|entry| entry.name == name)), Some(true));
        assert_eq!(after(&[Right; 12]), some(last));
        assert!(after(&[Up; 30]).is_some());
        desk.types("wind");
        assert_eq!(desk.state().0.chosen, None, "who types on chooses anew");
        for key in [Right, Down, Enter] {
            desk.press(key);
        }
        let (gallery, wishes) = desk.state();
        let chosen = gallery.chosen.as_deref().expect("from the wind one row down");
        assert_ne!(chosen, "wind");
        assert!(matches!(&wishes[..], [Wish::Open(name)] if name == chosen), "Enter opens {chosen}");
    }

    #[test]
    fn arrow_keys_reach_files_too() {
        use egui::Key::{ArrowLeft as Left, ArrowRight as Right, ArrowUp as Up, Enter};
        let temp = tempfile::TempDir::new().expect("a folder");
        let mut remembered = Remembered::default();
        let files = ["older.toml", "newer.toml"].map(|name| temp.path().join(name).display().to_string());
        for file in &files {
            std::fs::write(file, "").expect("a file");
            remembered.opened(file);
        }
        let mut desk = desk(remembered);
        for (key, file) in [(Up, 0), (Left, 1), (Right, 0)] {
            desk.press(key);
            assert_eq!(desk.state().0.chosen.as_ref(), Some(&files[file]), "{key:?}");
        }
        desk.press(Enter);
        assert!(matches!(&desk.state().1[..], [Wish::Open(path)] if *path == files[0]));
    }

    #[test]
    fn what_enter_opens() {
        let first = |search: &str| {
            Gallery { search: search.to_owned(), opened: true, chosen: None }
                .first(["/home/me/seven seas.toml", "/wind/mine.toml"].into_iter())
        };
        assert_eq!(first("wind").as_deref(), Some("wind"));
        assert_eq!(first("PREDATOR prey").as_deref(), Some("predator_and_prey"));
        assert_eq!(first("each bird").as_deref(), Some("murmuration"), "by what it shows");
        assert_eq!(first("seven").as_deref(), Some("/home/me/seven seas.toml"), "a recent file by its name");
        assert_eq!(first(" my/own.toml ").as_deref(), Some("my/own.toml"));
        assert_eq!(first(" "), None);
        assert_eq!(first("no such scene"), None, "what is no path is not offered as one");
    }

    #[test]
    fn scenes_are_found_by_what_their_agents_do() {
        let found = |search: &str| {
            let gallery = Gallery { search: search.to_owned(), opened: true, chosen: None };
            ENTRIES.iter().filter(|entry| gallery.finds(entry)).count()
        };
        let counts = ["separation", "boundary walls", "vehicle"].map(found);
        assert!(counts[0] > 10 && counts[1] > 0 && counts[2] > 3, "{counts:?}");
        assert_eq!(found("3d") + found("2d"), ENTRIES.len());
    }
}
