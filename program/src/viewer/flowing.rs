//! The flow field under the brush: strokes set its direction, or calm it. Each makes another file, so that what was before can come back.

use super::ViewerError;
use super::meaning::Outline;
use super::stage::Stage;
use glam::{Vec2, Vec3};
use steerling::render::View;
use steerling::scene::{Boundary, Draft, Field, FieldGrid, FieldSource, World};

/// Nodes along the longer side of a field that begins with a stroke.
const NODES: u32 = 64;
/// Arrows along the longer side of the world.
const ARROWS: u32 = 40;
/// The behavior that follows the field.
const FOLLOWS: &str = "flow_field";

/// Where a node of a plane's grid lies, u, and how far nodes are apart.
fn node(grid: &FieldGrid, world: &World, column: u32, row: u32) -> (Vec2, Vec2) {
    let along = |axis: usize| match world.boundary[axis] {
        Boundary::Wrap => grid.nodes[axis],
        _ => (grid.nodes[axis] - 1).max(1),
    };
    let apart = world.size.truncate() / Vec2::new(along(0) as f32, along(1) as f32);
    (Vec2::new(column as f32, row as f32) * apart - world.size.truncate() * 0.5, apart)
}

/// The field of a scene after a stroke along a line, u, this wide to each side: it flows along the line with the brush's share of the
/// greatest speed that any species has, or is calm there.
///
/// # Errors
/// Why there is none.
pub fn painted(draft: &Draft, line: &[Vec2], radius: f32, flow: u32, calms: bool) -> Result<FieldGrid, String> {
    let fresh = || Field { speed: 0.0, resolution: NODES, ..Field::default() };
    let field = draft.field.clone().unwrap_or_else(fresh);
    if field.changes() {
        return Err("The field of this scene changes in time, so it is not painted".to_owned());
    }
    let world = &draft.world;
    let mut grid = field.grid(world, draft.seed).map_err(|error| error.message)?;
    let fastest = draft.species.iter().map(|species| species.max_speed).fold(0.0, f32::max);
    let speed = if calms { 0.0 } else { fastest * flow as f32 / 100.0 };
    let radius = radius.max(node(&grid, world, 0, 0).1.max_element());
    let nearer = |way: f32, axis: usize| match world.boundary[axis] {
        Boundary::Wrap => way - world.size[axis] * (way / world.size[axis]).round(),
        _ => way,
    };
    for index in 0..grid.nodes[0] * grid.nodes[1] {
        let (at, _) = node(&grid, world, index % grid.nodes[0], index / grid.nodes[0]);
        let nearest = line.windows(2).map(|ends| {
            let (way, from) = (ends[1] - ends[0], at - ends[0]);
            let from = Vec2::new(nearer(from.x, 0), nearer(from.y, 1));
            let share = (from.dot(way) / way.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
            (from.distance(way * share), way.normalize_or_zero())
        });
        let Some((away, course)) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        // Whole in the middle half, and less from there to the edge.
        let share = (2.0 - 2.0 * away / radius).clamp(0.0, 1.0);
        let vector = &mut grid.vectors[index as usize];
        *vector = Vec3::from(*vector).lerp((course * speed).extend(0.0), share).to_array();
    }
    Ok(grid)
}

/// The field as arrows in the picture, px: as long as it is strong.
pub fn arrows(grid: &FieldGrid, world: &World, view: &View, size: (u32, u32)) -> Outline {
    let top = grid.vectors.iter().map(|vector| Vec3::from(*vector).length()).fold(1e-6, f32::max);
    let every = grid.nodes[0].max(grid.nodes[1]).div_ceil(ARROWS).max(1) as usize;
    let places =
        (0..grid.nodes[1]).step_by(every).flat_map(|row| (0..grid.nodes[0]).step_by(every).map(move |c| (c, row)));
    let arrow = |(column, row): (u32, u32)| {
        let (at, apart) = node(grid, world, column, row);
        let vector = Vec3::from(*grid.vectors.get((row * grid.nodes[0] + column) as usize)?).truncate() / top;
        let [tail, tip] = [-0.4, 0.4].map(|end| at + vector * apart.min_element() * every as f32 * end);
        let (tail, tip) = (view.project(tail.extend(0.0), size)?, view.project(tip.extend(0.0), size)?);
        let barb = |angle: f32| tip + Vec2::from_angle(angle).rotate(tail - tip) * 0.35;
        (vector.length() > 0.02).then(|| vec![tail, tip, barb(0.5), tip, barb(-0.5)])
    };
    places.filter_map(arrow).collect()
}

impl Stage {
    /// Let the field flow along a line of the picture, px, or calm it there. Where no field was followed, all species begin to.
    pub fn flow(&mut self, line: &[Vec2], calms: bool) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let line: Vec<Vec2> = line.iter().map(|at| view.unproject((at.x, at.y), size).truncate()).collect();
        if !calms && line.windows(2).all(|ends| ends[0] == ends[1]) {
            self.interface.say("Drag: the field flows the way of the drag");
            return Ok(());
        }
        let radius = brush.radius as f32 / view.pixels_per_unit(size);
        let mut draft = self.session.scene().draft();
        let (first, mut followed) = (draft.field.is_none(), Ok(()));
        let made = painted(&draft, &line, radius, brush.flow, calms).and_then(|grid| {
            self.unsaved.keep_field(&grid).map_err(|error| format!("The field cannot be kept: {error}"))
        });
        if let Ok(path) = &made {
            draft.field = Some(Field {
                source: FieldSource::Array(path.clone()),
                scale: 1.0,
                ..draft.field.take().unwrap_or_default()
            });
            if first {
                followed = draft.species.iter_mut().try_for_each(|species| species.enable(FOLLOWS).map(drop));
            }
        }
        let made = made.map(drop).and(followed.map_err(|error| error.to_string()));
        if self.build(draft, made)? && first {
            self.interface.say("The first field: all species follow it. A file of the scene has it beside it, as NPY");
        }
        Ok(())
    }
}
