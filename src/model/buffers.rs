//! The table of buffers: what each holds, for which items, and how it is compared. Both backends and the verifier walk
//! it.
//!
//! A buffer has the name of the variable that the shaders declare. On the GPU it exists where a pass binds it; the
//! reference has all that its stages use.

use super::names::names;
use super::{
    AGENTS_PER_SHARE, CompiledScene, GroundCell, ID_BITS, MOST_EVENTS, Measurement, Memory, POSE_WORDS, Species, World,
    layers_of,
};
use crate::model::scenery::{Piece, Scenery};
use std::borrow::Cow;

/// One buffer of a simulation.
#[derive(Debug)]
pub struct Buffer {
    /// Which it is.
    pub id: BufferId,
    /// Its name in WGSL and on the CPU.
    pub name: &'static str,
    /// What one element is.
    pub element: Element,
    /// The item that each element belongs to.
    pub per: Per,
    /// Whether it survives between steps, and how it begins.
    pub life: Life,
    /// How it is bound, apart from reading and writing in a compute pass.
    pub usage: Usage,
    /// Does a simulation of this model have the buffer? If not, it takes no memory.
    pub used: fn(&CompiledScene) -> bool,
    /// How the GPU's is compared with the reference's; `None` where it is not compared.
    pub comparison: Option<Comparison>,
    /// A buffer in whose memory this one may lie. That buffer is written only when this one is no longer needed, and read only before this
    /// one is written again.
    pub in_room_of: Option<BufferId>,
}

/// What one element of a buffer is, in words of four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// A vector as the world stores it: two floats in a planar world, three in a spatial one.
    Vector,
    /// This many words.
    Words(usize),
    /// The memory of an agent: see [`CompiledScene::remembered`].
    Memory,
    /// A species: see [`CompiledScene::species_words`].
    Species,
    /// The sums that a workgroup of the stage `observe` writes in a layer of its dispatch.
    Observed,
}

/// The items that a buffer has one element each for, and so which agent an element belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// A single element.
    World,
    /// Each species, at least one.
    Species,
    /// Each node of the flow field.
    Node,
    /// Each agent, by storage slot, where it lies between steps: the buffer `id` holds the id in each slot.
    StorageSlot,
    /// Each agent, by sorted index, in order of cell and id: the buffer `sorted_id` holds their ids. A step ends in
    /// this order.
    SortedIndex,
    /// As [`Per::SortedIndex`], and behind them one element for all agents together.
    SortedIndexAndOne,
    /// Each agent, by id.
    Id,
    /// Each agent that has queries for the nearest of a species: see [`CompiledScene::querying_agents`].
    QueryingAgent,
    /// Each cell: of the grid, then for agents set aside, away or frozen, then for invalid ids. Behind them one element for the end of the
    /// last cell, and the crowd flag.
    Cell,
    /// Each block of cells that one workgroup of the stage `scan` covers.
    Block,
    /// Each workgroup of the stage `observe`, in each layer of its dispatch.
    Group,
    /// Each cell of the ground.
    GroundCell,
    /// Each line.
    Line,
    /// Each word of what is measured.
    Measured,
    /// One element for the number of events, then each event that the list has room for.
    Event,
    /// Each piece of a trajectory.
    Piece,
    /// Each texel of the rows of many obstacles and of the lists of their cells.
    ObstacleTexel,
    /// Each texel of the mesh that agents move on, and of the lists of its cells.
    SurfaceTexel,
    /// Each cell of the map and of a border around it.
    MapCell,
    /// Each texel of the ways to goals.
    WayTexel,
    /// Each cell of the map, if ways heed crowds.
    WayCell,
    /// One element for how soon awaited ways are due, then each four cells of the map; none if new ways are followed at once.
    WayCost,
}

/// How long the contents of a buffer live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// Follows from the scene; nothing in a step changes it.
    Parameter,
    /// Each step writes it before it reads it.
    Scratch,
    /// As [`Life::Scratch`], but it has to be zero before the first step.
    Cleared,
    /// Kept from step to step: it is part of a [`Snapshot`](super::Snapshot). Zero at the start, unless the state gives
    /// another value.
    Kept,
}

/// How a buffer is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// As a storage buffer.
    Storage,
    /// As a storage buffer, and as a vertex buffer of renderers.
    Drawn,
    /// As a storage buffer and as the arguments of an indirect dispatch.
    Indirect,
    /// As a uniform buffer.
    Uniform,
    /// As a uniform buffer, and as a storage buffer for the pass that updates it in each step.
    Moving,
    /// Not by itself: it is a part of this buffer, behind the buffer's own words and those of earlier rows of the table that are parts of
    /// it.
    Within(BufferId),
    /// As a storage buffer with some words of each element of this buffer, if one binding does not hold them all: see [`Buffer::parts`].
    Further(BufferId),
    /// Not as a buffer: as a storage texture, two texels of four words for each element. It cannot be read or written from
    /// outside.
    Texture,
    /// Not as a buffer: as a texture that shaders only read, a texel of one or four words for each element.
    Texels,
}

impl Usage {
    /// Is it a texture, not a buffer?
    pub(crate) fn is_texture(self) -> bool {
        matches!(self, Usage::Texture | Usage::Texels)
    }

    /// How shaders declare the buffer. Shaders that write to it may declare it in another way than shaders that only read it.
    pub(crate) fn kind(self, writes: bool) -> &'static str {
        match self {
            Usage::Moving if writes => "storage buffer",
            Usage::Storage | Usage::Drawn | Usage::Indirect | Usage::Further(_) => "storage buffer",
            Usage::Uniform | Usage::Moving => "uniform buffer",
            Usage::Within(_) => "part of a buffer",
            Usage::Texture => "storage texture",
            Usage::Texels => "texture",
        }
    }
}

/// How a buffer of the GPU is compared with the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// Integers, each equal.
    Exact,
    /// As exact, but only for ids that a query or a target may read: the shader writes no others.
    ExactWhereWritten,
    /// Floats: equal bits, or within tolerance, relative to a scale, on an adapter that promises no bits.
    Floats(Scale),
    /// Words, some of them floats: equal bits. Not compared on an adapter that does not promise equal bits.
    Bits,
    /// Integers, each equal in its lower bits, which hold a cell. The upper bits hold a rank, which depends on the order of threads.
    Cells,
    /// Integers, equal as a set within each cell: their order depends on the order of threads.
    SetPerCell,
}

/// The scale that an error of a float is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Half of the world, u.
    Position,
    /// The top speed, u/s.
    Speed,
    /// The largest acceleration of any species, or the value itself where that is larger, u/s².
    Acceleration,
    /// The scales of the members of a [`Pose`](super::Pose): two directions, an angular velocity, and an acceleration.
    Pose,
}

impl Buffer {
    /// Unless the table says otherwise, a buffer is scratch, bound as a storage buffer, and not compared.
    const fn new(id: BufferId, element: Element, per: Per) -> Buffer {
        let (name, life, usage) = (id.name(), Life::Scratch, Usage::Storage);
        Buffer { id, name, element, per, life, usage, used: |_| true, comparison: None, in_room_of: None }
    }

    const fn compared(self, comparison: Comparison) -> Buffer {
        Buffer { comparison: Some(comparison), ..self }
    }

    const fn kept(self, comparison: Comparison) -> Buffer {
        Buffer { life: Life::Kept, comparison: Some(comparison), ..self }
    }

    const fn cleared(self) -> Buffer {
        Buffer { life: Life::Cleared, ..self }
    }

    const fn parameter(self, usage: Usage) -> Buffer {
        Buffer { life: Life::Parameter, usage, ..self }
    }

    const fn bound_as(self, usage: Usage) -> Buffer {
        Buffer { usage, ..self }
    }

    const fn in_room_of(self, other: BufferId) -> Buffer {
        Buffer { in_room_of: Some(other), ..self }
    }

    const fn only_where(self, used: fn(&CompiledScene) -> bool) -> Buffer {
        Buffer { used, ..self }
    }

    const fn within(self, whole: BufferId, used: fn(&CompiledScene) -> bool) -> Buffer {
        Buffer { usage: Usage::Within(whole), used, ..self }
    }
}

const fn words_of<T>() -> Element {
    Element::Words(size_of::<T>() / 4)
}

macro_rules! buffers {
    ($($id:ident [$element:expr, $per:ident] $(.$with:ident($($what:expr),*))*;)*) => {
        names! {
            /// A buffer of a simulation: a row of [`BUFFERS`].
            BufferId { $($id,)* }
        }

        /// All buffers of a simulation.
        pub const BUFFERS: &[Buffer] = &[$(Buffer::new(BufferId::$id, $element, Per::$per)$(.$with($($what),*))*),*];
    };
}

use Comparison::{Bits, Cells, Exact, ExactWhereWritten, Floats, SetPerCell};
use Element::{Vector, Words};

// Each buffer: what one element is, and the item that it belongs to.
buffers! {
    World [words_of::<World>(), World] .parameter(Usage::Uniform);
    Species [Element::Species, Species] .parameter(Usage::Storage);
    Field [Vector, Node] .parameter(Usage::Storage);
    Scenery [words_of::<Scenery>(), World] .parameter(Usage::Moving);
    Pieces [words_of::<Piece>(), Piece] .parameter(Usage::Storage);
    ObstacleTexels [Words(4), ObstacleTexel] .parameter(Usage::Texels);
    SurfaceTexels [Words(4), SurfaceTexel] .parameter(Usage::Texels);
    WallTexels [Words(1), MapCell] .parameter(Usage::Texels);
    Ways [Words(4), WayTexel] .parameter(Usage::Texels);
    Position [Vector, StorageSlot] .kept(Floats(Scale::Position)).bound_as(Usage::Drawn);
    Velocity [Vector, StorageSlot] .kept(Floats(Scale::Speed)).bound_as(Usage::Drawn);
    Id [Words(1), StorageSlot] .kept(Exact).bound_as(Usage::Drawn);
    Cell [Words(1), StorageSlot] .compared(Cells).in_room_of(BufferId::Acceleration);
    Rank [Words(1), StorageSlot] .in_room_of(BufferId::Acceleration);
    Count [Words(1), Cell] .compared(Exact).cleared();
    Visible [Words(1), Cell] .compared(Exact).cleared();
    CellStart [Words(1), Cell] .compared(Exact);
    BlockSum [Words(1), Block];
    Order [Words(1), SortedIndex] .compared(SetPerCell).in_room_of(BufferId::Acceleration);
    OrderId [Words(1), SortedIndex];
    SortedPosition [Vector, SortedIndex] .compared(Floats(Scale::Position));
    SortedVelocity [Vector, SortedIndex] .compared(Floats(Scale::Speed));
    SortedId [Words(1), SortedIndex] .compared(Exact);
    SortedAgents [Words(8), SortedIndex] .bound_as(Usage::Texture);
    Acceleration [Vector, SortedIndex] .compared(Floats(Scale::Acceleration));
    Pushes [Vector, SortedIndex] .compared(Floats(Scale::Position)).only_where(CompiledScene::collides);
    // The last word is used on the GPU alone: 1 once the driver cut a loop off.
    Neighbors [Words(1), SortedIndexAndOne] .kept(Exact);
    Hint [Words(1), Id] .within(BufferId::Neighbors, |model| model.features.topological);
    Observed [Element::Observed, Group];
    Memory [Element::Memory, Id] .kept(Bits);
    Memory1 [Words(0), Id] .bound_as(Usage::Further(BufferId::Memory));
    Memory2 [Words(0), Id] .bound_as(Usage::Further(BufferId::Memory));
    Memory3 [Words(0), Id] .bound_as(Usage::Further(BufferId::Memory));
    SortedIndexOf [Words(1), Id] .compared(ExactWhereWritten).within(BufferId::CellStart, FOLLOWS);
    ActiveList [Words(1), SortedIndexAndOne] .within(BufferId::CellStart, |model| model.features.skips);
    Found [Words(4), QueryingAgent] .compared(Exact).within(BufferId::CellStart, |model| model.features.queries);
    ActiveGroups [Words(3), World] .bound_as(Usage::Indirect);
    // Both are padded with zeros to the size of a uniform buffer: three words here, four in `CensusSums`.
    Clock [Words(4), World] .kept(Exact).bound_as(Usage::Moving);
    CensusSums [Words(20), World] .compared(Bits).bound_as(Usage::Moving);
    Pose [Words(POSE_WORDS), Id] .kept(Floats(Scale::Pose));
    Pose1 [Words(0), Id] .bound_as(Usage::Further(BufferId::Pose));
    Pose2 [Words(0), Id] .bound_as(Usage::Further(BufferId::Pose));
    Pose3 [Words(0), Id] .bound_as(Usage::Further(BufferId::Pose));
    Ground [words_of::<GroundCell>(), GroundCell] .kept(Exact);
    Faded [Words(1), GroundCell] .compared(Exact);
    Crossed [Words(2), Line] .kept(Exact);
    Measurement [words_of::<Measurement>(), World] .parameter(Usage::Storage) .only_where(MEASURES);
    Measured [Words(1), Measured] .only_where(MEASURES);
    // Agents over each cell of the map, when they were last counted for ways that heed crowds. On the host only.
    CrowdCounts [Words(1), WayCell] .kept(Exact);
    // While new ways are awaited: how soon they are due, and the cell costs of the ways followed until then. On the host only.
    WayCosts [Words(1), WayCost] .kept(Exact);
    // In the order of threads, so not compared.
    Events [Words(4), Event] .cleared().only_where(|model| model.lists_events);
}

/// Does the scene ask to observe more than what is always observed?
const MEASURES: fn(&CompiledScene) -> bool = |model| model.measures.any();

/// Are sorted indices looked up by id?
const FOLLOWS: fn(&CompiledScene) -> bool = |model| model.features.tracks_agents || model.features.few_queries;

impl BufferId {
    /// Its row of the table.
    pub const fn row(self) -> &'static Buffer {
        &BUFFERS[self as usize]
    }
}

impl Buffer {
    /// Words of one element.
    pub fn width(&self, model: &CompiledScene) -> usize {
        match self.element {
            Element::Vector => model.components(),
            Element::Words(words) => words,
            Element::Memory => model.memory_size(),
            Element::Observed => layers_of(model.species.len()).1,
            Element::Species => model.species_words().len() / model.species.len().max(1),
        }
    }

    /// Is the buffer part of a [`Snapshot`](super::Snapshot) of this model? Poses are if agents keep some, the ground if the scene has one,
    /// counts of crossings if there are lines, and the columns of ways if they have elements.
    pub(crate) fn is_kept(&self, model: &CompiledScene) -> bool {
        let is_there = match self.id {
            BufferId::Pose => model.vehicles.pose,
            BufferId::Ground => model.has_ground,
            BufferId::Crossed => model.scenery.line_count > 0,
            BufferId::CrowdCounts | BufferId::WayCosts => self.count(model, 1) > 0,
            _ => true,
        };
        self.life == Life::Kept && is_there
    }

    /// Words of one element in a [`Snapshot`](super::Snapshot) and in the reference, which keep the memory of inactive
    /// behaviors too.
    pub(crate) fn whole_width(&self, model: &CompiledScene) -> usize {
        match self.element {
            Element::Memory => size_of::<Memory>() / 4,
            _ => self.width(model),
        }
    }

    /// Number of elements. `scan_block` is the number of cells that one workgroup of the stage `scan` covers.
    ///
    /// # Panics
    /// A `scan_block` of 0.
    pub fn count(&self, model: &CompiledScene, scan_block: u32) -> u64 {
        if !(self.used)(model) {
            return 0;
        }
        let agents = u64::from(model.world.agent_count);
        let cells = u64::from(model.world.last_cell()) + 3;
        match self.per {
            Per::World => 1,
            Per::Species => model.species.len() as u64,
            Per::Node => model.field.vectors.len() as u64,
            Per::StorageSlot | Per::SortedIndex | Per::Id => agents,
            Per::SortedIndexAndOne => agents + 1,
            Per::QueryingAgent => u64::from(model.querying_agents()),
            Per::Cell => cells,
            Per::Block => cells.div_ceil(u64::from(scan_block)),
            // The smallest workgroup has 64 invocations.
            Per::Group => {
                agents.max(1).div_ceil(64 * u64::from(AGENTS_PER_SHARE)) * layers_of(model.species.len()).0 as u64
            }
            Per::GroundCell => model.ground.len() as u64,
            Per::Line => u64::from(model.scenery.line_count),
            Per::Event => u64::from(MOST_EVENTS) + 1,
            Per::Measured => model.measures.words[0],
            Per::Piece => model.pieces.len() as u64,
            Per::ObstacleTexel => model.obstacle_texels.len() as u64,
            Per::SurfaceTexel => model.surface_mesh.as_ref().map_or(0, |mesh| mesh.texels.len() as u64),
            Per::MapCell => {
                model.nearest_walls.as_ref().map_or(0, |nearest| nearest.size().map(u64::from).iter().product())
            }
            Per::WayTexel => model.ways.as_ref().map_or(0, |ways| ways.texels()),
            Per::WayCell => model.crowd_counts().len() as u64,
            Per::WayCost => model.way_cost_words(),
        }
    }

    /// The buffers that hold the words of its elements, and how many words of each element each of them holds. It is this buffer alone,
    /// unless one binding cannot hold all words: then the first words of every element lie in it, the next ones in its first
    /// [`Usage::Further`] buffer, and so on.
    pub fn parts(&self, model: &CompiledScene) -> Vec<(BufferId, usize)> {
        let further = BUFFERS.iter().filter(|part| part.usage == Usage::Further(self.id));
        let buffers: Vec<_> = [self.id].into_iter().chain(further.map(|part| part.id)).collect();
        let words = self.width(model);
        let each = |parts: &usize| words.div_ceil(*parts);
        let fits = |parts: &usize| 4 * each(parts) as u64 * self.count(model, 1) <= model.largest_binding;
        let most = (1..=buffers.len()).find(fits).map_or(each(&buffers.len()), |parts| each(&parts)).max(1);
        let widths = (0..words.max(1)).step_by(most).map(|first| (words - first).min(most));
        buffers.into_iter().zip(widths).collect()
    }

    /// The words of whole elements, put together from the words of the parts. `widths` has the number of words of an element in each part.
    pub(crate) fn joined(mut parts: Vec<Vec<u32>>, widths: &[usize]) -> Vec<u32> {
        if parts.len() == 1 {
            return parts.swap_remove(0);
        }
        let elements = parts.iter().zip(widths).map(|(part, width)| part.len() / width).min().unwrap_or(0);
        let element = |index| parts.iter().zip(widths).flat_map(move |(part, width)| &part[index * width..][..*width]);
        (0..elements).flat_map(element).copied().collect()
    }

    /// The words of the parts, taken from the words of whole elements. `widths` has the number of words of an element in each part.
    pub(crate) fn split<'a>(words: &'a [u32], widths: &[usize]) -> Vec<Cow<'a, [u32]>> {
        if widths.len() == 1 {
            return vec![words.into()];
        }
        let (mut first, all) = (0, widths.iter().sum::<usize>().max(1));
        let part = |width: &usize| {
            let before = first;
            first += width;
            words.chunks_exact(all).flat_map(|element| &element[before..][..*width]).copied().collect()
        };
        widths.iter().map(part).collect()
    }

    /// Words of an element that lie in this buffer.
    fn width_here(&self, model: &CompiledScene) -> usize {
        let Usage::Further(first) = self.usage else { return self.parts(model)[0].1 };
        first.row().parts(model).iter().find(|(part, _)| *part == self.id).map_or(0, |(_, width)| *width)
    }

    /// Bytes of the buffer as it is bound: the words of elements that lie in it, and the buffers that are parts of it ([`Usage::Within`]).
    pub fn whole_bytes(&self, model: &CompiledScene, scan_block: u32) -> u64 {
        let behind = BUFFERS.iter().filter(|part| part.usage == Usage::Within(self.id));
        let here = 4 * self.width_here(model) as u64 * self.count(model, scan_block);
        here + behind.map(|part| part.bytes(model, scan_block)).sum::<u64>()
    }

    /// Where its words lie: the buffer that is bound, and the index of the first word there.
    pub fn place(&self, model: &CompiledScene) -> (BufferId, usize) {
        let Usage::Within(whole) = self.usage else { return (self.id, 0) };
        let before = BUFFERS.iter().take_while(|other| other.id != self.id);
        let before = before.filter(|other| other.id == whole || other.usage == self.usage);
        (whole, before.map(|other| other.bytes(model, 1) as usize / 4).sum())
    }

    /// Bytes of all elements, in whichever buffers they lie.
    pub fn bytes(&self, model: &CompiledScene, scan_block: u32) -> u64 {
        4 * self.width(model) as u64 * self.count(model, scan_block)
    }

    /// The agent that an element belongs to, where it belongs to one. `ids` and `sorted_ids` are the buffers `id` and `sorted_id`.
    pub fn agent(&self, element: usize, model: &CompiledScene, ids: &[u32], sorted_ids: &[u32]) -> Option<u32> {
        let at = |ids: &[u32]| ids.get(element).map(|id| id & ID_BITS);
        match self.per {
            // Within a cell, their order depends on the order of threads.
            _ if self.comparison == Some(SetPerCell) => None,
            Per::StorageSlot => at(ids),
            Per::SortedIndex | Per::SortedIndexAndOne => at(sorted_ids),
            Per::Id => u32::try_from(element).ok().filter(|id| *id < model.world.agent_count),
            Per::QueryingAgent => {
                let id = |s: &Species| (element as u32).wrapping_sub(s.query_row);
                let holds = |s: &&Species| s.has_queries() && id(s).wrapping_sub(s.first_id) < s.count;
                model.species.iter().find(holds).map(id)
            }
            _ => None,
        }
    }

    /// Put elements that lie in the order of `ids` into the order of ids. Elements behind the last agent stay. A user's shaders may
    /// write invalid ids: an element with such an id is left out.
    pub(super) fn by_id(words: Vec<u32>, width: usize, ids: &[u32]) -> Vec<u32> {
        let mut sorted = words.clone();
        for (words, id) in words.chunks_exact(width).zip(ids) {
            if let Some(own) = sorted.chunks_exact_mut(width).nth((id & ID_BITS) as usize) {
                own.copy_from_slice(words);
            }
        }
        sorted
    }
}
