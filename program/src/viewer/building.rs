//! Building with the mouse in the picture: dragging handles, drawing obstacles, walls and paths, and choosing targets by pointing. Each is
//! one change of the scene: one undo reverts it, and it is saved with the scene.

use super::ViewerError;
use super::areas::{Area, add_area, area_at, remove_area};
use super::beside::have_same_agents;
use super::dashboard::Dot;
use super::flowing::arrows;
use super::gaze::{Finding, arrived};
use super::handles::{self, Handle, carry, edges, handles, remove, remove_path};
use super::meaning::Outline;
use super::panel::targets::called;
use super::pointer::{Drawn, GRASP, Tool};
use super::session::Answer;
use super::stage::Stage;
use super::tools::{
    add_chain, add_obstacle, add_path, add_wall, band, obstacle_at, path_at, preview, projected, thinned, unpaintable,
};
use glam::{Vec2, Vec3};
use std::fmt::Display;
use std::rc::Rc;
use std::time::{Duration, Instant};
use steerling::render::View;
use steerling::scene::{Draft, Scene, SceneError, Target};

/// Two clicks within this time are a double click.
const DOUBLE: Duration = Duration::from_millis(400);

/// The handles of a scene, cached until the scene, or which of them are shown, changes.
#[derive(Default)]
pub struct HandleCache {
    /// What they were made for: the scene, the species that the panel shows, and whether only crosses (targets) can be dragged.
    of: Option<(Scene, usize, bool)>,
    pub handles: Rc<[Handle]>,
    /// Outlines that are shown only with the tools `Edit` and `Areas`.
    edges: Vec<Vec<Vec3>>,
}

impl HandleCache {
    /// Make handles and edges again if any of these arguments changed.
    pub fn update(&mut self, scene: &Scene, species: usize, crosses: bool) {
        if self.of.as_ref().is_some_and(|of| (&of.0, of.1, of.2) == (scene, species, crosses)) {
            return;
        }
        let mut found = handles(scene, species);
        if crosses {
            found.retain(|handle| handle.path.ends_with(".point"));
        }
        self.edges = if crosses { Vec::new() } else { edges(scene, &found) };
        (self.of, self.handles) = (Some((scene.clone(), species, crosses)), found.into());
    }
}

/// What is being built with the mouse.
#[derive(Default)]
pub struct Building {
    handle_cache: HandleCache,
    /// The handle that is dragged.
    pub held: Option<Handle>,
    /// The points so far of the path that is being laid.
    pub path_points: Vec<Vec3>,
    /// When the latest point of a path was clicked.
    clicked: Option<Instant>,
    /// The dotted path of the target that the next click chooses.
    pub target_path: Option<String>,
    /// After that click: its place, px, the dotted path, and the search for the agent there, which is under way.
    pub finding: Option<((f32, f32), String, Finding)>,
    /// The targets to choose from at the place of that click.
    pub offer: Option<Offer>,
}

/// What a click on the picture may mean as a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// The place of the click, px.
    pub at: (f32, f32),
    /// The dotted path of the target that is to be set.
    pub path: String,
    /// The possible targets, with their names.
    pub targets: Vec<(String, Target)>,
}

impl Building {
    /// Handle a click while a path is being laid. A double click ends the path, and a click on its first point closes it: then it returns
    /// the points, and whether the path is closed.
    pub fn lay(&mut self, at: (f32, f32), now: Instant, view: &View, size: (u32, u32)) -> Option<(Vec<Vec3>, bool)> {
        let again = self.clicked.replace(now).is_some_and(|before| now.duration_since(before) < DOUBLE);
        let near = |point: Option<&Vec3>| {
            let seen = point.and_then(|point| view.project(*point, size));
            seen.is_some_and(|seen| seen.distance(at.into()) <= GRASP)
        };
        if self.path_points.len() > 2 && near(self.path_points.first()) {
            return self.end(true);
        }
        if again && near(self.path_points.last()) {
            return self.end(false);
        }
        let point = view.unproject(at, size);
        self.path_points.push(if view.spatial() { point } else { point.with_z(0.0) });
        None
    }

    /// End the path that is being laid. Returns its points and `closed`; `None` if it has less than two points.
    pub fn end(&mut self, closed: bool) -> Option<(Vec<Vec3>, bool)> {
        self.clicked = None;
        let way = std::mem::take(&mut self.path_points);
        (way.len() > 1).then_some((way, closed))
    }

    /// Give up what is being built. Returns whether there was anything.
    pub fn give_up(&mut self) -> bool {
        let handle_cache = std::mem::take(&mut self.handle_cache);
        let before = std::mem::replace(self, Building { handle_cache, ..Building::default() });
        !before.path_points.is_empty()
            || before.target_path.is_some()
            || before.finding.is_some()
            || before.offer.is_some()
    }
}

/// The targets that a click may mean: the agent there, the nearest of its species, that species' leader, the goals or the path there, and
/// always the point itself. `path` is the dotted path of the target.
pub fn offered(scene: &Scene, path: &str, at: (f32, f32), agent: Option<u32>, view: &View, size: (u32, u32)) -> Offer {
    let mut targets = Vec::new();
    let own = path.split('.').nth(1).and_then(|index| index.parse::<usize>().ok());
    if let Some((id, species)) = agent.and_then(|id| {
        let ids = |index: &usize| scene.species_ids(*index).is_some_and(|ids| ids.contains(&id));
        (0..scene.species.len()).find(ids).map(|species| (id, species))
    }) {
        targets.extend([Target::Agent(id), super::panel::targets::nearest_of(scene, species)]);
        targets.extend((own != Some(species)).then_some(Target::Leader(species as u32)));
    }
    let goals = scene.map.iter().flat_map(|map| &map.goals).zip(0..);
    let near = |place: Vec3| view.project(place, size).is_some_and(|seen| seen.distance(at.into()) <= GRASP);
    let goals = goals.filter(|(goal, _)| goal.places().any(near));
    targets.extend(goals.map(|(_, index)| Target::Goal { index, prediction_time: 0.0 }));
    targets.extend(path_at(scene, at, view, size).map(|index| Target::Path(index as u32)));
    let point = view.unproject(at, size);
    targets.push(Target::Point(if view.spatial() { point } else { point.with_z(0.0) }));
    let named = |target: Target| match target {
        Target::Point(_) => ("this place".to_owned(), target),
        _ => (called(target, scene), target),
    };
    Offer { at, path: path.to_owned(), targets: targets.into_iter().map(named).collect() }
}

/// Set the target at a dotted path: that of a behavior, or of a rule.
pub fn set_target(draft: &mut Draft, path: &str, target: Target) -> Result<(), SceneError> {
    let parts: Vec<&str> = path.split('.').collect();
    let ["species", species, table, row, parameter] = parts[..] else { return Ok(()) };
    let Some(species) = species.parse::<usize>().ok().and_then(|index| draft.species.get_mut(index)) else {
        return Ok(());
    };
    if table == "behaviors" {
        return species.set(row, parameter, target);
    }
    if let Some(rule) = row.parse::<usize>().ok().and_then(|row| species.rules.get_mut(row)) {
        rule.target = target;
    }
    Ok(())
}

/// Check that a draft can be written into the text that its scene came from: some things that the text names cannot be removed from it.
///
/// # Errors
/// Why not, in words.
pub fn can_be_kept(draft: &Draft) -> Result<(), String> {
    let scene = draft.clone().validate().map_err(|error| error.message)?;
    let kept = scene.to_toml(&draft.source.origin).map(drop);
    kept.map_err(|SceneError { key, message, .. }| {
        format!("It cannot be removed, because the file would not be valid without it: {key}: {message}")
    })
}

impl Stage {
    /// The handles that can be dragged now: all with the tools `Edit` and `Areas`, otherwise only crosses. None while the next click
    /// chooses a target, because a handle may lie at its place.
    pub fn handles(&mut self) -> Rc<[Handle]> {
        if self.building.target_path.is_some() {
            return Rc::default();
        }
        let crosses = !matches!(self.eye.pointer.tool, Tool::Edit | Tool::Areas);
        self.building.handle_cache.update(self.session.scene(), self.interface.panel.species, crosses);
        Rc::clone(&self.building.handle_cache.handles)
    }

    /// Drag the held handle, or else the one with this index, to a place.
    pub fn carry(&mut self, index: usize, to: Vec3) -> Result<(), ViewerError> {
        let Some(held) = self.building.held.take().or_else(|| self.handles().get(index).cloned()) else {
            return Ok(());
        };
        let mut draft = self.session.scene().draft();
        let next = carry(&mut draft, &held, to);
        // Passed as held, because the toolkit knows only from the next frame on that the button is down.
        let answer = self.tune(draft, true)?;
        // If the change was refused, a new point was not added, so the old handle stays held.
        self.building.held = Some(if answer == Answer::Accepted { next } else { held });
        Ok(())
    }

    /// A click in the picture: it lays a path, chooses a target, or picks an agent.
    pub fn click(&mut self, at: (f32, f32)) -> Result<(), ViewerError> {
        let (size, over_other) = (self.picture.size, self.over_other());
        if let Some(path) = self.building.target_path.take_if(|_| !over_other) {
            let found = self.session.simulation().read_nearest(&self.eye.view.sight(at, size))?;
            self.building.finding = Some((at, path, Box::new(found)));
            return Ok(());
        }
        self.building.offer = None;
        if self.eye.pointer.tool == Tool::Paths && !over_other {
            let laid = self.building.lay(at, Instant::now(), &self.eye.view, size);
            return self.add_path(laid);
        }
        let beside = self.modifiers.shift_key();
        // A click on the run beside picks the agent of the same id, as long as both runs have the same agents.
        let other = self.beside.as_ref().filter(|_| over_other).map(|other| &other.session);
        if other.is_some_and(|other| !have_same_agents(other.simulation(), self.session.simulation())) {
            self.interface.say("A and B have different agents: pick one in B");
            return Ok(());
        }
        let simulation = other.unwrap_or(&self.session).simulation();
        self.picked.click(at, beside, &self.eye.view, simulation, size)?;
        Ok(())
    }

    /// Is the pointer over the picture of the run beside?
    pub fn over_other(&self) -> bool {
        self.beside.is_some() && self.eye.pointer.shift < self.picture.left as f32
    }

    /// Finish a click that chooses a target, once the agent there is known: set the target, or offer several to choose from.
    pub fn look_for_target(&mut self) -> Result<(), ViewerError> {
        let found = arrived(&mut self.building.finding, |(.., read)| read)?;
        let Some((at, path, finding)) = found else { return Ok(()) };
        let agent = finding.wait()?.filter(|(_, away)| *away <= GRASP).map(|(id, _)| id);
        let offer = offered(self.session.scene(), &path, at, agent, &self.eye.view, self.picture.size);
        match &offer.targets[..] {
            [(_, only)] => self.aim(&path, *only)?,
            _ => self.building.offer = Some(offer),
        }
        Ok(())
    }

    /// Let the next click in the picture choose the target at this dotted path.
    pub fn point(&mut self, path: String) {
        let say = "Click the new target: an agent, a goal, a path, or a place; Esc: no change";
        (self.building.target_path, self.building.finding, self.building.offer) = (Some(path), None, None);
        self.interface.say(say);
    }

    /// Change the scene to `draft` if `made` is no error, or tell the user why not. Returns whether it was accepted.
    pub fn build(&mut self, draft: Draft, made: Result<(), impl Display>) -> Result<bool, ViewerError> {
        match made {
            Ok(()) => Ok(self.tune(draft, false)? == Answer::Accepted),
            Err(why) => {
                self.interface.say(why.to_string());
                Ok(false)
            }
        }
    }

    /// Set the target at a dotted path, and tell the user.
    pub fn aim(&mut self, path: &str, target: Target) -> Result<(), ViewerError> {
        self.building.offer = None;
        let mut draft = self.session.scene().draft();
        let name = called(target, &draft);
        let made = set_target(&mut draft, path, target);
        if self.build(draft, made)? {
            self.interface.say_undoable(format!("The target is now: {name}"));
        }
        Ok(())
    }

    /// End the path that is being laid, and add it to the scene.
    pub fn end_path(&mut self) -> Result<(), ViewerError> {
        let laid = self.building.end(false);
        self.add_path(laid)
    }

    fn add_path(&mut self, laid: Option<(Vec<Vec3>, bool)>) -> Result<(), ViewerError> {
        let Some((points, closed)) = laid else { return Ok(()) };
        let mut draft = self.session.scene().draft();
        let first = draft.scenery.paths.is_empty();
        let made = add_path(&mut draft, &points, closed);
        if self.build(draft, made)? && first {
            self.interface.say_undoable("All species follow the first path");
        }
        Ok(())
    }

    /// Add the obstacle, the area or the wall that was drawn, or apply the stroke of the brush.
    pub fn draw(&mut self, drawn: Drawn) -> Result<(), ViewerError> {
        if let Some(why) = unpaintable(self.session.scene()).filter(|_| drawn.tool.is_flat()) {
            self.interface.say(why);
            return Ok(());
        }
        let (brush, size) = (self.eye.brush, self.picture.size);
        let by_hand = brush.is_by_hand(drawn.tool);
        let line = match by_hand {
            true => thinned(&self.eye.pointer.line),
            false => vec![drawn.from.into(), drawn.to.into()],
        };
        match drawn.tool {
            Tool::Agents => return self.cast(drawn.erases),
            Tool::Flow => return self.flow(&line, drawn.erases),
            _ => {}
        }
        let points: Vec<Vec3> = line.iter().map(|at| self.eye.view.unproject((at.x, at.y), size)).collect();
        let mut draft = self.session.scene().draft();
        let is_goal = drawn.tool == Tool::Areas && brush.area == Area::Goal;
        let first_goal = is_goal && draft.map.as_ref().is_none_or(|map| map.goals.is_empty());
        let ends = [points[0], points[points.len() - 1]];
        let added = match drawn.tool {
            Tool::Walls => {
                add_wall(&mut draft, &points, brush.cells, drawn.erases);
                Ok(())
            }
            Tool::Areas => add_area(&mut draft, brush.area, brush.species, ends),
            _ if by_hand => {
                let radius = self.eye.brush_radius(size);
                add_chain(&mut draft, &points, radius).map_err(|error| error.to_string())
            }
            _ => add_obstacle(&mut draft, brush.shape, ends).map_err(|error| error.to_string()),
        };
        if self.build(draft, added)? && first_goal {
            self.interface.say_undoable("All species seek the first goal");
        }
        Ok(())
    }

    /// Remove what lies at a point of the picture, px, and belongs to the present tool.
    pub fn erase(&mut self, at: (f32, f32)) -> Result<(), ViewerError> {
        if self.building.path_points.pop().is_some() {
            return Ok(());
        }
        let (view, size, tool) = (self.eye.view, self.picture.size, self.eye.pointer.tool);
        let mut draft = self.session.scene().draft();
        let away = |handle: &Handle| view.project(handle.at, size).map_or(f32::MAX, |seen| seen.distance(at.into()));
        let all = self.handles();
        let handle = all.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
        let removed = if let Some(handle) = handle.filter(|handle| tool == Tool::Edit && away(handle) <= GRASP) {
            remove(&mut draft, handle)
        } else if tool == Tool::Areas {
            let found = area_at(&draft, at, &view, size).ok_or("There is no area here");
            found.map_err(str::to_owned).and_then(|found| remove_area(&mut draft, found))
        } else if let Some(found) = obstacle_at(&draft, at, &view, size).filter(|_| tool != Tool::Paths) {
            draft.scenery.obstacles.remove(found);
            Ok(())
        } else if let Some(found) = path_at(&draft, at, &view, size).filter(|_| tool != Tool::Obstacles) {
            remove_path(&mut draft, found)
        } else {
            Err("There is nothing here that can be removed".to_owned())
        };
        let made = removed.and_then(|()| can_be_kept(&draft));
        self.build(draft, made).map(drop)
    }

    /// The handles as the picture shows them; the one that is held or under the pointer has a name.
    pub fn dots(&self, all: &[Handle]) -> Vec<Dot> {
        let (view, size, pointer) = (&self.eye.view, self.picture.size, Vec2::from(self.eye.pointer.at()));
        let dot = |handle: &Handle| Some(Dot { at: view.project(handle.at, size)?, part: handle.part, name: None });
        let mut dots: Vec<(Dot, &Handle)> = all.iter().filter_map(|handle| Some((dot(handle)?, handle))).collect();
        let named = self.building.held.as_ref().map(|held| (&held.path, held.part));
        let away = |dot: &Dot| dot.at.distance(pointer);
        let nearest = (0..dots.len()).min_by(|a, b| away(&dots[*a].0).total_cmp(&away(&dots[*b].0)));
        let hovered = nearest.filter(|index| away(&dots[*index].0) <= GRASP);
        let held = named.map(|named| dots.iter().position(|(_, handle)| (&handle.path, handle.part) == named));
        if let Some((dot, handle)) = held.unwrap_or(hovered).and_then(|index| dots.get_mut(index)) {
            dot.name = Some(handles::called(self.session.scene(), handle));
        }
        dots.into_iter().map(|(dot, _)| dot).collect()
    }

    /// Outlines of what is being drawn, and those that only the present tool shows.
    pub fn built(&self) -> Outline {
        let (view, size, pointer) = (&self.eye.view, self.picture.size, &self.eye.pointer);
        let mut lines = match pointer.drawing() {
            Some(drawn) => preview(&drawn, &pointer.line, self.session.scene(), self.eye.brush, view, size),
            None => Vec::new(),
        };
        if matches!(pointer.tool, Tool::Edit | Tool::Areas) && self.building.target_path.is_none() {
            lines.extend(self.building.handle_cache.edges.iter().filter_map(|line| projected(line, view, size)));
        }
        if pointer.tool == Tool::Flow && self.session.scene().field.is_some() && !self.eye.brush.trails {
            let simulation = self.session.simulation();
            lines.extend(arrows(&simulation.model().field, &simulation.scene().world, view, size));
        }
        if matches!(pointer.tool, Tool::Agents | Tool::Flow) && pointer.drawing().is_none() {
            lines.push(band(pointer.at().into(), pointer.at().into(), self.eye.brush.radius as f32));
        }
        let placed = self.building.path_points.iter().filter_map(|at| view.project(*at, size));
        let path_points: Vec<Vec2> = placed.chain([pointer.at().into()]).collect();
        lines.extend((path_points.len() > 1).then_some(path_points));
        lines
    }
}
