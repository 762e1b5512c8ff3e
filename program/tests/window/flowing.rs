//! The flow field under the brush: that agents go its way, that it is calmed and taken back, and kept beside the scene.

use super::super::flowing::{Stroke, arrows, painted};
use super::super::saving::write;
use super::super::unsaved::Unsaved;
use super::*;
use glam::vec2;
use steerling::scene::{Field, FieldSource};

const SIZE: (u32, u32) = (640, 480);

/// How many vectors of the field of a scene flow along a direction, and how many of all are not calm.
fn flowing(scene: &Scene, along: Vec2) -> (usize, usize) {
    let grid = scene.field.as_ref().expect("a field").grid(&scene.world, scene.seed).expect("a grid");
    let vectors = grid.vectors.iter().map(|vector| Vec3::from(*vector).truncate());
    let flows: Vec<Vec2> = vectors.filter(|vector| vector.length() > 1e-3).collect();
    (flows.iter().filter(|vector| vector.normalize().dot(along) > 0.99).count(), flows.len())
}

/// How much of the field of a scene flows along a direction, u/s of all vectors together.
fn strength(scene: &Scene, along: Vec2) -> f32 {
    let grid = scene.field.as_ref().expect("a field").grid(&scene.world, scene.seed).expect("a grid");
    grid.vectors.iter().map(|vector| Vec3::from(*vector).truncate().dot(along)).sum()
}

/// In a scene without a field and in one with a formula: a stroke is the way that agents take, a second one calms it, an undo brings back
/// what was, and a file of the scene has the field beside it, in place of nothing that was there.
#[test]
fn a_field_is_painted_calmed_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut unsaved = Unsaved::new(Some(folder.path().join("kept")));
    for name in ["flock", "windmills"] {
        let mut session = session(name, &[]);
        let first = digest_after(&mut session, 5);
        let size = session.scene().world.size;
        let line = [vec2(0.0, -0.4 * size.y), vec2(0.0, 0.4 * size.y)];
        let paint = |session: &mut Session, unsaved: &mut Unsaved, calms: bool| {
            let mut draft = session.scene().draft();
            let grid = painted(&draft, &line, 0.2 * size.y, 100, calms).expect("a field");
            let path = unsaved.keep_array(|out| grid.write(out)).expect("a file");
            draft.field =
                Some(Field { source: FieldSource::Array(path), scale: 1.0, ..draft.field.unwrap_or_default() });
            draft.species.iter_mut().for_each(|species| assert!(species.enable("flow_field").is_ok()));
            accept(session, draft);
        };
        let before = session.scene().field.is_some().then(|| flowing(session.scene(), Vec2::Y));
        paint(&mut session, &mut unsaved, false);
        let (along, all) = flowing(session.scene(), Vec2::Y);
        assert!(along > 50 && along > before.map_or(0, |(along, _)| along), "{name}: {along} of {all}");
        if name == "flock" {
            assert_eq!(along, all, "beside the stroke it is calm");
            let north = |session: &Session| {
                let state = session.simulation().state().expect("a state");
                let near = state.positions.iter().zip(&state.velocities).filter(|(at, _)| at[0].abs() < 0.1 * size.y);
                let (count, sum) = near.fold((0, 0.0), |(count, sum), (_, v)| (count + 1, sum + v[1]));
                sum / count as f32
            };
            let was = north(&session);
            digest_after(&mut session, 90);
            assert!(north(&session) > was + 1.0, "agents go its way: {} {was}", north(&session));
            restart(&mut session);
        }
        let model = session.simulation().model();
        let shown = arrows(&model.field, &session.scene().world, &View::from_scene(session.scene()), SIZE);
        assert!(shown.len() > 10 && shown.iter().all(|arrow| arrow.len() == 5), "{name}: {}", shown.len());

        let path = folder.path().join(format!("{name}.toml"));
        std::fs::write(folder.path().join(format!("{name}-field.npy")), "of somebody else").expect("a file");
        let kept = unsaved.beside(session.scene().clone(), &path).expect("a copy");
        let source = kept.field.as_ref().and_then(|field| field.source.path()).expect("a file");
        assert_eq!(source, folder.path().join(format!("{name}-field-2.npy")));
        assert_eq!(flowing(&kept, Vec2::Y), (along, all), "{name}: the same field");
        let painted = |scene: &Scene| unsaved.painted(scene);
        assert!(painted(session.scene()) && !painted(&kept), "{name}: only the window's own file goes with it");
        assert_eq!(unsaved.beside(kept.clone(), &path).expect("nothing to do"), kept, "{name}: it is there already");

        let strong = strength(session.scene(), Vec2::Y);
        paint(&mut session, &mut unsaved, true);
        let calm = strength(session.scene(), Vec2::Y);
        assert!(calm < 0.2 * strong, "{name}: {calm} after {strong}");
        undo(&mut session);
        undo(&mut session);
        restart(&mut session);
        assert_eq!(digest_after(&mut session, 5), first, "{name}: taken back");
    }
    let wind = tuned("wind", &[]);
    assert!(painted(&wind, &[Vec2::ZERO, Vec2::X], 1.0, 50, false).is_err(), "it changes in time");
    let kept = || std::fs::read_dir(folder.path().join("kept")).expect("a folder").count();
    assert!(kept() > 0);
    drop(unsaved);
    assert_eq!(kept(), 0, "nothing is left behind");
}

/// A stroke touches what is near it, around a seam too, and looks at nothing else: as many as if it looked at all.
#[test]
fn a_stroke_touches_what_is_near() {
    let scene = tuned("flock", &[]);
    let size = scene.world.size.truncate();
    let counts = [400_u32, 300];
    let apart = size / vec2(counts[0] as f32, counts[1] as f32);
    let grid = (-0.5 * size, apart);
    for line in
        [[vec2(0.0, 0.0), vec2(0.1, 0.2)], [vec2(0.48, -0.5), vec2(0.5, -0.3)], [vec2(-0.7, 0.0), vec2(0.7, 0.6)]]
    {
        let line = line.map(|at| at * size);
        let stroke = Stroke { line: &line, radius: 0.05 * size.y, world: &scene.world };
        let mut near = std::collections::BTreeSet::new();
        stroke.touch(grid, counts, |[column, row], share, _| {
            assert!(share > 0.0 && near.insert([column, row]), "{column} {row} twice");
        });
        let places = (0..counts[1]).flat_map(|row| (0..counts[0]).map(move |column| [column, row]));
        let place = |[column, row]: [u32; 2]| grid.0 + vec2(column as f32, row as f32) * apart;
        let all: std::collections::BTreeSet<_> = places.filter(|at| stroke.at(place(*at)).0 > 0.0).collect();
        assert_eq!(near, all, "{line:?}");
        assert!(all.len() > 100 && all.len() < 60_000);
    }
}

/// What was painted lies beside the file only where there is one: a text that cannot be written leaves nothing behind.
#[test]
fn what_is_refused_leaves_no_field_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut unsaved = Unsaved::new(Some(folder.path().join("kept")));
    let slime = tuned("slime", &[]);
    let grid = painted(&slime, &[Vec2::ZERO, Vec2::X], 20.0, 50, false).expect("a field");
    let source = FieldSource::Array(unsaved.keep_array(|out| grid.write(out)).expect("a file"));
    let good =
        edited(&slime, |draft| draft.field = Some(Field { source: source.clone(), scale: 1.0, ..Field::default() }));
    // No text says that a ground is there no longer.
    let refused = edited(&good, |draft| {
        draft.ground = None;
        draft.species[0].deposit = 0.0;
        draft.species[0].behaviors.iter_mut().for_each(|behavior| behavior.enabled = false);
    });
    let files = || {
        let files = std::fs::read_dir(folder.path()).expect("a folder").flatten().filter(|file| file.path().is_file());
        files.count()
    };
    let path = folder.path().join("mine.toml");
    let path = path.to_str().expect("a path");
    assert!(write(refused, &unsaved, path, false).is_err());
    let nameless = folder.path().join(".toml");
    assert!(write(slime, &unsaved, nameless.to_str().expect("a path"), false).is_err());
    assert_eq!(files(), 0, "nothing is left behind");
    write(good.clone(), &unsaved, path, false).expect("a file");
    assert_eq!(files(), 2, "control: the scene and its field");
    // In its own file a scene keeps its name; another file gives it another one.
    let own = edited(&Scene::open(path, &[]).expect("a scene"), |draft| draft.name = "a-name".to_owned());
    assert_eq!(write(own.clone(), &unsaved, path, true).expect("a file").name, "a-name");
    let other = folder.path().join("other.toml");
    assert_eq!(write(own, &unsaved, other.to_str().expect("a path"), false).expect("a file").name, "other");
    std::fs::remove_file(other).expect("a file");
    assert!(write(good, &unsaved, path, false).is_err(), "not in place of another file");
    assert_eq!(files(), 2);
}
