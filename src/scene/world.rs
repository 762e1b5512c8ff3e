//! The space that agents live in, and the ground below them.

use super::trail::{FILES, TrailFile};
use glam::Vec3;

table! {
    /// The space the agents live in, an axis-aligned box centered on the origin.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct World {
        /// Extent along x and y, or x, y and z; two numbers make a planar world.
        ///
        /// A planar world has z = 0.
        pub size: Vec3 = required(Range::Vector { min: 1e-3, max: 1e7 }).in_unit("u"),
        /// At the ends of each axis: wrap joins them, contain turns agents back, open lets them go.
        ///
        /// In a planar world the third entry is [`Boundary::Open`].
        pub boundary: [Boundary; 3] = described(Range::Axes(Boundary::WORDS), "").or(Fallback::Text("wrap")),
        /// Distance from a contained wall at which agents start to turn back.
        pub margin: f32 = number("u", 0.0, 1e6, 10.0),
        /// In a cell of the grid with more agents than this, only a sample of at least about half as many can be perceived; the others
        /// steer like all agents. It bounds the cost of flocks that collapse. If only one agent in n perceives others, the limit is n
        /// times as high (at most 16 times).
        pub crowd: u32 = whole(1, 16_777_216, 512),
        /// Rounds in a step in which bodies that overlap are moved apart: more of them leave less overlap where many press.
        pub contact_rounds: u32 = whole(1, 64, 4),
        beside
        /// True where the world has a third dimension.
        pub spatial: bool,
    }
}

table! {
    /// The ground: a coarse grid over the world that counts visits and holds a resource and a trail.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Ground {
        /// Cells along the longest axis; at most 2^22 in all.
        pub resolution: u32 = whole(2, 512, 64),
        /// Time after which counts of visits are halved; 0 is never.
        pub half_life: f32 = number("s", 0.0, 1e6, 0.0),
        /// Round patches of a resource, at random places.
        pub patches: u32 = whole(0, 256, 0),
        /// Radius of a patch.
        pub patch_radius: f32 = number("u", 0.0, 1e6, 10.0),
        /// Units of the resource in each cell of a patch.
        pub amount: u32 = whole(0, 1_000_000, 100),
        /// Units that an agent takes; one agent of a cell at a time.
        pub intake: f32 = number("1/s", 0.0, 1e4, 10.0),
        /// Units that grow back in each cell of a patch.
        pub regrowth: f32 = number("1/s", 0.0, 1e4, 0.0),
        /// The trail when a run begins, as an array that `numpy.save` wrote, a path relative to the scene file: whole units for each
        /// cell, 0 to 2^30 - 1, of the shape (height, width) in cells, or (depth, height, width) in space, each axis from the least
        /// coordinate on.
        pub trail: Option<TrailFile> = described(Range::Source(&[], FILES), "none"),
        /// Time after which half of a trail has faded; 0 is never.
        pub trail_half_life: f32 = number("s", 0.0, 1e6, 10.0),
        /// How fast a trail spreads: its variance along each axis grows by twice this in a second. Whole units only go
        /// to the next cell, so a trail of few units stays where it is.
        pub trail_spread: f32 = number("u²/s", 0.0, 1e9, 0.0),
    }
}

impl World {
    /// The number of its axes: 2 in a plane, 3 in space.
    pub fn axes(&self) -> usize {
        if self.spatial { 3 } else { 2 }
    }

    /// Its volume, u³; in a plane its area, u².
    pub fn volume(&self) -> f64 {
        self.size.to_array()[..self.axes()].iter().map(|along| f64::from(*along)).product()
    }

    /// For each axis: are its ends joined?
    pub(crate) fn wraps(&self) -> [bool; 3] {
        self.boundary.map(|boundary| boundary == Boundary::Wrap)
    }

    /// The shortest offset that is equivalent to `way`, the offset between two places: through the seams of wrapped axes where that is
    /// shorter.
    pub fn nearest(&self, way: Vec3) -> Vec3 {
        let along = |axis: usize| match self.boundary[axis] {
            Boundary::Wrap if self.size[axis] > 0.0 => {
                way[axis] - self.size[axis] * (way[axis] / self.size[axis]).round()
            }
            _ => way[axis],
        };
        Vec3::from_array([0, 1, 2].map(along))
    }
}

impl Ground {
    /// Most cells to each side that a search of the ground visits.
    pub fn reach(spatial: bool) -> u32 {
        if spatial { 6 } else { 16 }
    }

    /// Cells along each axis: as square as whole numbers of them allow.
    pub fn cells(&self, world: &World) -> [u32; 3] {
        let along = |axis: usize| {
            (world.size[axis] / world.size.max_element() * self.resolution as f32).round().max(1.0) as u32
        };
        [along(0), along(1), if world.spatial { along(2) } else { 1 }]
    }

    /// The share of a cell's trail that each neighbor along an axis gets in a step, if the trail spreads by 1 u²/s; 0 along an
    /// axis without neighbors.
    fn shares_of_one(&self, world: &World, dt: f32) -> [f64; 3] {
        let cells = self.cells(world);
        [0, 1, 2].map(|axis| {
            let cell = f64::from(world.size[axis]) / f64::from(cells[axis]);
            if cells[axis] > 1 { f64::from(dt) / (cell * cell) } else { 0.0 }
        })
    }

    /// How fast a trail can spread, u²/s: in a step a cell gives away no more than it has.
    pub(crate) fn fastest_spread(&self, world: &World, dt: f32) -> f64 {
        0.5 / self.shares_of_one(world, dt).iter().sum::<f64>()
    }

    /// The share of a cell's trail that each neighbor along an axis gets in a step.
    pub(crate) fn shares(&self, world: &World, dt: f32) -> [f64; 3] {
        let spread = f64::from(self.trail_spread).min(self.fastest_spread(world, dt));
        self.shares_of_one(world, dt).map(|share| share * spread)
    }
}

words! {
    /// What happens at the two ends of an axis.
    pub enum Boundary {
        /// The ends are joined; distances are minimum-image distances.
        Wrap = "wrap",
        /// Agents steer back within the margin, and the wall itself stops them.
        Contain = "contain",
        /// Nothing happens; agents leave freely and still see each other outside.
        Open = "open",
    }
}
