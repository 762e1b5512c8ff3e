//! The flow field, painted with the brush: strokes set its direction and speed, or calm it. Each stroke makes another file, so that an undo
//! has the old field.

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

/// The place of a node of a planar grid, and the spacing of nodes, u.
fn node(grid: &FieldGrid, world: &World, column: u32, row: u32) -> (Vec2, Vec2) {
    let along = |axis: usize| match world.boundary[axis] {
        Boundary::Wrap => grid.nodes[axis],
        _ => (grid.nodes[axis] - 1).max(1),
    };
    let apart = world.size.truncate() / Vec2::new(along(0) as f32, along(1) as f32);
    (Vec2::new(column as f32, row as f32) * apart - world.size.truncate() * 0.5, apart)
}

/// The field of a scene after a stroke along a line, u. Within `radius` it flows along the line, at `flow` % of the greatest speed of any
/// species; if `calms`, its speed is 0 there.
///
/// # Errors
/// Why the field cannot be painted.
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
    let (first, apart) = node(&grid, world, 0, 0);
    let stroke = Stroke { line, radius: radius.max(apart.max_element()), world };
    let columns = grid.nodes[0];
    stroke.touch((first, apart), [columns, grid.nodes[1]], |[column, row], share, course| {
        let vector = &mut grid.vectors[(row * columns + column) as usize];
        *vector = Vec3::from(*vector).lerp((course * speed).extend(0.0), share).to_array();
    });
    Ok(grid)
}

/// A stroke along a line in the plane, u, that acts within a radius.
pub struct Stroke<'a> {
    pub line: &'a [Vec2],
    pub radius: f32,
    pub world: &'a World,
}

impl Stroke<'_> {
    /// Call `act` for each point of a grid that the stroke touches, with its column and row, its share (0 to 1), and the direction of the
    /// line there. `first` is the grid's first point, `apart` its spacing, `counts` columns and rows. Only points near the line are tested.
    pub fn touch(&self, (first, apart): (Vec2, Vec2), counts: [u32; 2], mut act: impl FnMut([u32; 2], f32, Vec2)) {
        let [columns, rows] = [0, 1].map(|axis| self.near(axis, first[axis], apart[axis], counts[axis]));
        for row in rows {
            for column in &columns {
                let (share, course) = self.at(first + Vec2::new(*column as f32, row as f32) * apart);
                if share > 0.0 {
                    act([*column, row], share, course);
                }
            }
        }
    }

    /// The grid indices along an axis that the stroke may touch, across a seam too.
    fn near(&self, axis: usize, first: f32, apart: f32, count: u32) -> Vec<u32> {
        let along = || self.line.iter().map(|at| at[axis]);
        let low = along().fold(f32::INFINITY, f32::min) - self.radius;
        let high = along().fold(f32::NEG_INFINITY, f32::max) + self.radius;
        let (from, to) = (((low - first) / apart).floor() as i64, ((high - first) / apart).ceil() as i64);
        let count = i64::from(count);
        match self.world.boundary[axis] {
            Boundary::Wrap => (from..=to).take(count as usize).map(|at| at.rem_euclid(count) as u32).collect(),
            _ => (from.max(0)..=to.min(count - 1)).map(|at| at as u32).collect(),
        }
    }

    /// How much the stroke acts at a place: 1 up to half the radius, then falling to 0 at the radius; and the direction of the line there.
    pub fn at(&self, at: Vec2) -> (f32, Vec2) {
        let nearest = self.line.windows(2).map(|ends| {
            let (way, from) = (ends[1] - ends[0], at - ends[0].midpoint(ends[1]));
            let from = self.world.nearest(from.extend(0.0)).truncate() + 0.5 * way;
            let share = (from.dot(way) / way.length_squared().max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
            (from.distance(way * share), way.normalize_or_zero())
        });
        let (away, course) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f32::INFINITY, Vec2::ZERO));
        ((2.0 - 2.0 * away / self.radius).clamp(0.0, 1.0), course)
    }
}

/// The field as arrows in the picture, px, with lengths in proportion to its speed.
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
    /// Let the field flow along a line of the picture, px, or calm it there. With the first field of a scene, all species follow it.
    pub fn flow(&mut self, line: &[Vec2], calms: bool) -> Result<(), ViewerError> {
        let (brush, view, size) = (self.eye.brush, self.eye.view, self.picture.size);
        let line: Vec<Vec2> = line.iter().map(|at| view.unproject((at.x, at.y), size).truncate()).collect();
        if brush.trails && self.session.simulation().model().has_trail() {
            return self.lay_trail(&line, calms);
        }
        if !calms && line.windows(2).all(|ends| ends[0] == ends[1]) {
            self.interface.say("Drag: the field flows in the direction of the drag");
            return Ok(());
        }
        let radius = self.eye.brush_radius(size);
        let mut draft = self.session.scene().draft();
        let (first, mut followed) = (draft.field.is_none(), Ok(()));
        let made = painted(&draft, &line, radius, brush.flow, calms).and_then(|grid| {
            self.unsaved.keep_array(|out| grid.write(out)).map_err(|error| format!("The field cannot be kept: {error}"))
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
            self.interface.say("All species follow the first field. It is saved beside the scene's file, as NPY");
        }
        Ok(())
    }
}
