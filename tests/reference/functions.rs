//! Functions of the reference that scenes reach at a few places only: sampling a field, wrapping a coordinate, rotation.

use crate::common::*;
use glam::Vec3;
use steerling::cpu::common::field::sample_field;
use steerling::model::boundary::wrap_coordinate;
use steerling::model::random::rotation;
use steerling::model::{CompiledScene, GridChoice};
use steerling::scene::FieldGrid;

/// A model whose field has these vectors.
fn model_with(boundary: &str, nodes: [u32; 3], vector: impl Fn([u32; 3]) -> [f64; 3]) -> CompiledScene {
    let size = if nodes[2] > 1 { "[20, 10, 30]" } else { "[20, 10]" };
    let head = format!("world = {{ size = {size}, boundary = \"{boundary}\" }}\nfield = {{ source = \"uniform\" }}");
    let scene = scene(&head, "count = 1\nbehaviors.flow_field = {}");
    let mut model = CompiledScene::new(&scene, GridChoice::default()).unwrap();
    let mut vectors = Vec::new();
    for z in 0..nodes[2] {
        for y in 0..nodes[1] {
            vectors.extend((0..nodes[0]).map(|x| vector([x, y, z]).map(|v| v as f32)));
        }
    }
    model.field = FieldGrid { nodes, vectors }.into();
    model.followed_by(&scene, GridChoice::default()).unwrap()
}

fn sample(model: &CompiledScene, at: V) -> V {
    sample_field(model, Vec3::from_array(at.map(|x| x as f32))).as_dvec3().to_array()
}

#[test]
fn sampling_reproduces_a_linear_field() {
    let mut draw = Draw::new(16);
    let size = [20.0, 10.0, 30.0];
    for nodes in [[2, 2, 1], [5, 9, 1], [17, 6, 1], [5, 4, 3], [2, 7, 8]] {
        let spatial = nodes[2] > 1;
        let matrix: [V; 3] = std::array::from_fn(|_| draw.point(spatial, 2.0));
        let linear = |at: V| matrix.map(|row| dot(row, at) + 3.0);
        let place = |node: [u32; 3]| -> V {
            [0, 1, 2].map(|axis: usize| match nodes[axis] {
                1 => 0.0,
                n => size[axis] * (f64::from(node[axis]) / f64::from(n - 1) - 0.5),
            })
        };
        let model = model_with("contain", nodes, |node| linear(place(node)));
        for _ in 0..200 {
            let at: V = [0, 1, 2]
                .map(|axis: usize| if axis < 2 || spatial { draw.between(-0.5, 0.5) * size[axis] } else { 0.0 });
            let bound = 1e-6 * (3.0 + 2.0 * 60.0);
            let error = norm(minus(sample(&model, at), linear(at)));
            assert!(error <= bound, "{nodes:?} at {at:?}: {error:e}");
            // The nearest node instead of the weighted mean, or axes swapped, would be far off.
            assert!(norm(minus(sample(&model, at), linear([at[1], at[0], at[2]]))) > bound);
        }
        // Beyond walls the field is that of the wall.
        let (beyond, wall) = (sample(&model, [50.0, -20.0, 0.0]), sample(&model, [10.0, -5.0, 0.0]));
        assert_eq!(beyond, wall);
    }
}

#[test]
fn sampling_is_periodic_across_the_seam() {
    let mut draw = Draw::new(17);
    for nodes in [[4, 4, 1], [8, 5, 1], [4, 5, 6]] {
        let spatial = nodes[2] > 1;
        let values: Vec<V> = (0..8 * 8 * 8).map(|_| draw.point(spatial, 5.0)).collect();
        let value = |[x, y, z]: [u32; 3]| values[(z * 64 + y * 8 + x) as usize];
        let model = model_with("wrap", nodes, value);
        let spacing = 20.0 / f64::from(nodes[0]);
        // Between the last node and node 0, which lies one spacing beyond it.
        for share in [0.0, 0.25, 0.5, 0.875] {
            let at = [10.0 - spacing * (1.0 - share), -5.0, -15.0];
            let at = if spatial { at } else { [at[0], at[1], 0.0] };
            let (last, first) = (value([nodes[0] - 1, 0, 0]), value([0, 0, 0]));
            let expected = plus(times(last, 1.0 - share), times(first, share));
            assert!(norm(minus(sample(&model, at), expected)) < 1e-5, "{nodes:?}, share {share}");
            assert!(share < 0.5 || norm(minus(sample(&model, at), last)) > 1e-3, "the seam would hold the last node");
        }
        for _ in 0..100 {
            let at = [
                draw.between(-10.0, 10.0),
                draw.between(-5.0, 5.0),
                if spatial { draw.between(-15.0, 15.0) } else { 0.0 },
            ];
            let turns = [20.0, -10.0, if spatial { 30.0 } else { 0.0 }];
            let error = norm(minus(sample(&model, plus(at, turns)), sample(&model, at)));
            assert!(error < 1e-4, "{at:?}: a whole world farther the field differs by {error:e}");
        }
    }
}

#[test]
fn a_wrapped_coordinate_is_always_in_the_world() {
    let mut draw = Draw::new(73);
    for size in [1e-3f32, 1.0, 0.3, 32.0, 153.6, 2400.0, 1e7] {
        let half = size * 0.5;
        let edges = [
            0.0,
            -0.0,
            half,
            -half,
            half.next_down(),
            half.next_up(),
            (-half).next_down(),
            (-half).next_up(),
            size,
            1e9,
            -1e9,
        ];
        let drawn = (0..2000).map(|_| (draw.between(-3.0, 3.0) * f64::from(size)) as f32);
        for x in edges.into_iter().chain(drawn) {
            let wrapped = wrap_coordinate(x, size, half);
            assert!((-half..half).contains(&wrapped), "{x:e} became {wrapped:e} in a world of {size:e}");
            let turns = (f64::from(x) - f64::from(wrapped)) / f64::from(size);
            let rounding = 3e-7 * (f64::from(x).abs() / f64::from(size) + 1.0);
            assert!((turns - turns.round()).abs() <= rounding, "{x:e} moved by {turns} worlds");
        }
    }
}

#[test]
fn rotation_is_cosine_and_sine() {
    let mut worst: f64 = 0.0;
    for k in -100_000..=100_000 {
        let angle = k as f32 * 1.3e-4;
        let (sin, cos) = f64::from(angle).sin_cos();
        let found = rotation(angle);
        worst = worst.max((f64::from(found.x) - cos).abs()).max((f64::from(found.y) - sin).abs());
    }
    assert!(worst < 4e-7, "{worst:e}");
    assert!((rotation(1732.0).length() - 1.0).abs() < 1e-6, "far away the rotation is still one");
}
