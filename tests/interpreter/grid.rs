//! Indices of cells stay within the grid whatever words the buffers hold: shaders of our own run without bounds checks, so
//! these clamps are all that stands between a broken number and another's memory. They are executed here, where an index
//! out of bounds is a number and not a fault, with and without them.

use glam::Vec3;
use naga::back::PipelineConstants;
use steerling::cpu::common::grid::{cell_of, cell_range};
use steerling::cpu::interpreter::{Budget, Program, Value};
use steerling::gpu::shaders::Sources;
use steerling::model::World;
use steerling::scene::Boundary;
use support::{everything, rewritten};

const NUMBERS: [f32; 14] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    49.9,
    -50.0,
    50.0,
    1e9,
    -1e9,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

/// Calls of both functions, those with an index outside the grid, and those of numbers that differ from the twins: which end
/// a NaN is clamped to is left open by WGSL.
#[derive(Debug, Default)]
struct Tally {
    calls: u32,
    outside: u32,
    differing: u32,
}

fn tally(mutant: Option<(&str, &str)>) -> Tally {
    let sources = mutant.map_or_else(Sources::default, |(line, changed)| rewritten("common/grid.wgsl", line, changed));
    let mut model = everything(true);
    let (module, info) = sources.parse(&model).unwrap_or_else(|e| panic!("{e}"));
    let constants = PipelineConstants::from_iter([("folds".to_owned(), 1.0)]);
    let program = Program::new(&module, &info, &constants).unwrap();
    let world: World = model.world;
    (model.world.half_size[0], model.world.cells_per_unit[0]) = (0.5, 7.0);
    let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&world));
    let mut machine = program.machine(|name| (name == "world").then_some(words), Budget::default());
    let mut call = |name: &str, mut arguments: Vec<Value>| {
        machine.call(program.function(name).unwrap(), &mut arguments).unwrap_or_else(|fault| panic!("{fault}"))
    };
    let mut tally = Tally::default();
    for x in NUMBERS {
        for other in NUMBERS {
            let position = Vec3::new(x, other, if x > other { x } else { 3.0 });
            let (found, cells) = (call("cell_of", vec![position.into()]), world.cells.iter().product::<u32>());
            tally.calls += 1;
            tally.outside += u32::from(found.bits()[0] >= cells);
            let differs = found != Value::U32(cell_of(&world, position));
            tally.differing += u32::from(differs && !position.is_nan());
            // An axis with ends, one that wraps, and one that is folded.
            for (wraps, cells, beyond) in [(false, 7u32, 0.0f32), (true, 7, 0.0), (false, 8, 16.0)] {
                let numbers = [x, other, 0.5, 7.0].map(Value::from);
                let arguments = numbers.into_iter().chain([cells.into(), beyond.into(), wraps.into()]).collect();
                let found: Vec<i32> = call("cell_range", arguments).bits().iter().map(|bits| *bits as i32).collect();
                let outside = if wraps { 7 } else { beyond as i32 };
                let ends = -outside..cells as i32 + outside;
                tally.calls += 1;
                model.boundary[0] = if wraps { Boundary::Wrap } else { Boundary::Open };
                (model.world.cells[0], model.world.cells_beyond[0]) = (cells, beyond);
                let twin = <[i32; 2]>::from(cell_range(&model, 0, x, other));
                // A range that goes around begins at its first cell and visits each entry once.
                let is_outside = |range: &[i32]| {
                    let goes_around = beyond > 0.0 && range[1].wrapping_sub(range[0]) == cells as i32 - 1;
                    !range[..if goes_around { 1 } else { 2 }].iter().all(|cell| ends.contains(cell))
                };
                tally.outside += u32::from(is_outside(&found) || is_outside(&twin));
                let is_number = !(x - other).is_nan() && !(x + other).is_nan();
                tally.differing += u32::from(found != twin && is_number);
            }
        }
    }
    tally
}

#[test]
fn no_word_leads_out_of_the_grid() {
    let clamped = tally(None);
    assert_eq!((clamped.outside, clamped.differing), (0, 0), "{clamped:?}");
    assert_eq!(clamped.calls, 4 * 14 * 14);
}

/// The negative control: each clamp taken out.
#[test]
fn without_a_clamp_indices_leave_the_grid() {
    for (line, changed) in [
        ("clamp(coordinate, -beyond, vec3f(world.cells) - 1.0 + beyond)", "coordinate"),
        (
            "clamp(floor((x - reach + half_size) * cells_per_unit), -beyond, end)",
            "floor((x - reach + half_size) * cells_per_unit)",
        ),
        (
            "clamp(floor((x + reach + half_size) * cells_per_unit), -beyond, end)",
            "floor((x + reach + half_size) * cells_per_unit)",
        ),
    ] {
        let tally = tally(Some((line, changed)));
        assert!(tally.outside >= 20, "{line}: {tally:?}");
    }
}
