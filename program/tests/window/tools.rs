//! Tools: what they change, that it is taken back, and kept with the scene.

use super::super::areas::Area;
use super::super::pointer::{Deed, Drawn, Pointer, Tool};
use super::super::tools::{
    Brush, Lure, add_obstacle, add_wall, from_segment, obstacle_at, preview, shapes, thinned, tools,
};
use super::dashboard::Desk;
use super::*;
use winit::event::{DeviceId, ElementState, MouseButton, WindowEvent};
use winit::keyboard::ModifiersState;

/// The current values of the scene, with the mouse where it was.
fn values(session: &Session, was: &Draft) -> Draft {
    Draft { mouse: was.mouse, ..session.scene().draft() }
}

fn toggle(session: &mut Session, lure: Lure) {
    let (acted, original) = (lure.acts(session.scene()), session.original().draft());
    tune(session, |draft| lure.toggle(draft, &original).expect("a lure"));
    assert_ne!(lure.acts(session.scene()), acted);
}

/// How far agents are from a point on average, u.
fn away(state: &State, from: glam::Vec3) -> f32 {
    state.positions.iter().map(|at| glam::Vec3::from(*at).distance(from)).sum::<f32>() / state.positions.len() as f32
}

/// In scenes of every kind: all agents come, or flee; the same key again restores the values, and so does an undo.
#[test]
fn agents_come_and_flee_in_every_scene() {
    for name in ["flock", "gulls", "seek_and_flee"] {
        let mut session = session(name, &[]);
        let first = session.scene().draft();
        let point = glam::vec3(0.1 * session.scene().world.size.x, 0.0, 0.0);
        let mut mean = |lure: Option<Lure>| {
            if let Some(lure) = lure.filter(|lure| !lure.acts(session.scene())) {
                toggle(&mut session, lure);
            }
            restart(&mut session);
            session.set_mouse(point);
            digest_after(&mut session, 60);
            let mean = away(&session.simulation().state().expect("a state"), point);
            while session.history.can_undo() {
                undo(&mut session);
            }
            mean
        };
        let (plain, near, far) = (mean(None), mean(Some(Lure::Attract)), mean(Some(Lure::Repel)));
        if name != "seek_and_flee" {
            assert!(near < 0.95 * plain && far > plain, "{name}: {near} {plain} {far}");
        }
        assert!(values(&session, &first) == first, "{name}: taken back");
        for lure in [Lure::Attract, Lure::Repel] {
            toggle(&mut session, lure);
            assert_ne!(lure.acts(&kept(session.scene())), lure.acts(&first), "{name}: kept");
            undo(&mut session);
        }
        if name == "flock" {
            toggle(&mut session, Lure::Repel);
            toggle(&mut session, Lure::Repel);
            assert!(values(&session, &first) == first, "the same key gives back what was");
        }
    }
}

/// The drag that draws a ball.
fn ball(center: glam::Vec3, radius: f32) -> [glam::Vec3; 2] {
    [center, center + glam::Vec3::Y * radius]
}

pub const BRUSH: Brush = Brush {
    cells: 2,
    free: false,
    shape: 0,
    area: Area::Box,
    species: 0,
    agents: 12,
    radius: 40,
    flow: 50,
    trails: false,
    units: 1,
};

/// Of each shape that a file may have: drawn, found where it lies and nowhere else, kept, and taken back.
#[test]
fn obstacles_of_all_shapes_are_drawn() {
    for name in ["flock", "gulls"] {
        let first = tuned(name, &[]);
        let (view, size) = (View::from_scene(&first), (800, 600));
        let (from, to) = ((300.0, 250.0), (500.0, 350.0));
        for (shape, word) in shapes().iter().enumerate() {
            let ends = [from, to].map(|at| view.unproject(at, size));
            let scene = first.edit(|draft| add_obstacle(draft, shape, ends)).expect("a scene");
            // On the edge of a plane, and in the middle of what is drawn from end to end or from corner to corner.
            let there = if ["sphere", "plane"].contains(word) { from } else { (400.0, 300.0) };
            assert_eq!(obstacle_at(&scene, there, &view, size), Some(0), "{name}: {word}");
            assert_eq!(obstacle_at(&scene, (780.0, 20.0), &view, size), None, "{name}: {word}");
            assert_eq!(kept(&scene).scenery, scene.scenery, "{name}: {word}");
            assert!(scene.to_toml("drawn.toml").expect("a text").contains(&format!("\"{word}\"")), "{name}: {word}");
            let drawn = Drawn { tool: Tool::Obstacles, from, to, erases: false };
            let edge = preview(&drawn, &[], &first, Brush { shape, ..BRUSH }, &view, size);
            assert!(!edge.is_empty(), "{name}: {word}");
        }
        assert_eq!(shapes().len(), 4, "a new shape has a way to be drawn");
    }
}

/// A line by hand is many short strokes in one change, no more of them than it needs, and none far from the line.
#[test]
fn walls_follow_the_hand() {
    let line: Vec<glam::Vec2> =
        (0..200).map(|i| glam::vec2(100.0 + 2.0 * i as f32, 200.0 + 60.0 * (i as f32 * 0.05).sin())).collect();
    let thin = thinned(&line);
    assert!((8..60).contains(&thin.len()) && thin[0] == line[0] && thin.last() == line.last(), "{}", thin.len());
    let away = |at: &glam::Vec2| {
        let near = thin.windows(2).map(|ends| from_segment(*at, [ends[0], ends[1]]));
        near.fold(f32::MAX, f32::min)
    };
    assert!(line.iter().all(|at| away(at) <= 1.5));
    assert_eq!(thinned(&line[..1]).len(), 2, "a single spot is a stroke too");

    let first = tuned("flock", &[]);
    let view = View::from_scene(&first);
    let points: Vec<glam::Vec3> = thin.iter().map(|at| view.unproject((at.x, at.y), SIZE)).collect();
    let drawn = edited(&first, |draft| add_wall(draft, &points, 2, false));
    assert_eq!(kept(&drawn).map.as_ref().map_or(0, |map| map.strokes.len()), thin.len() - 1);
}

/// An obstacle is drawn, gone around, kept with the scene, found again and taken away.
#[test]
fn obstacles_are_drawn_kept_and_taken_away() {
    for name in ["flock", "gulls"] {
        let mut session = session(name, &[]);
        let plain = digest_after(&mut session, 40);
        restart(&mut session);
        let first = session.scene().draft();
        let radius = 0.1 * session.scene().world.size.y;
        tune(&mut session, |draft| add_obstacle(draft, 0, ball(glam::Vec3::ZERO, radius)).expect("an obstacle"));
        assert!(session.scene().species.iter().all(|species| species.enabled("obstacle_avoidance").expect("known")));
        restart(&mut session);
        let around = digest_after(&mut session, 40);
        assert_ne!(around, plain, "{name}: it makes a difference");
        assert_eq!(kept(session.scene()).scenery.obstacles, session.scene().scenery.obstacles, "{name}");

        let (view, size) = (View::from_scene(session.scene()), (800, 600));
        let middle = view.project(glam::Vec3::ZERO, size).expect("in view");
        assert_eq!(obstacle_at(session.scene(), middle.into(), &view, size), Some(0), "{name}");
        assert_eq!(obstacle_at(session.scene(), (2.0, 2.0), &view, size), None, "{name}");
        // A second one is another change, and behaviors stay as they are.
        tune(&mut session, |draft| {
            draft.species[0].behaviors.iter_mut().for_each(|b| b.enabled &= b.spec.name != "obstacle_avoidance");
            add_obstacle(draft, 0, ball(glam::Vec3::X, radius)).expect("an obstacle");
        });
        assert!(!session.scene().species[0].enabled("obstacle_avoidance").expect("it is known"));
        assert_eq!(obstacle_at(session.scene(), middle.into(), &view, size), Some(1), "{name}: the latest");
        undo(&mut session);
        undo(&mut session);
        assert!(values(&session, &first) == first, "{name}: taken back");
    }
}

const SIZE: (u32, u32) = (640, 480);

/// The mouse goes to a place.
pub fn go((x, y): (f32, f32)) -> WindowEvent {
    WindowEvent::CursorMoved { device_id: DeviceId::dummy(), position: (x, y).into() }
}

pub fn press(button: MouseButton) -> WindowEvent {
    WindowEvent::MouseInput { device_id: DeviceId::dummy(), state: ElementState::Pressed, button }
}

pub fn release(button: MouseButton) -> WindowEvent {
    WindowEvent::MouseInput { device_id: DeviceId::dummy(), state: ElementState::Released, button }
}

/// Drag from one place to another, px. Returns whether the view is unchanged, and the first outline that was shown of what is drawn.
fn drag(
    pointer: &mut Pointer,
    view: &View,
    (button, modifiers): (MouseButton, ModifiersState),
    [from, to]: [(f32, f32); 2],
) -> (bool, Option<Drawn>) {
    let (mut moved, mut seen) = (*view, None);
    for event in [go(from), press(button), go(to), release(button)] {
        pointer.handle(&event, modifiers, false, Vec::new, &mut moved, SIZE);
        seen = seen.or(pointer.drawing());
    }
    (moved == *view, seen)
}

/// Drags draw only while that is asked for; a click draws nothing, and a right click takes an obstacle away.
#[test]
fn drags_draw_where_that_is_asked_for() {
    let view = View::from_scene(&tuned("flock", &[]));
    let mut pointer = Pointer::default();
    let mut send = |tool: Tool, button: MouseButton, modifiers: ModifiersState, to: (f32, f32)| {
        pointer.tool = tool;
        let (still, seen) = drag(&mut pointer, &view, (button, modifiers), [(100.0, 100.0), to]);
        let (drawn, erased, clicked) = match pointer.deed.take() {
            Some(Deed::Draw(drawn)) => (Some(drawn), None, None),
            Some(Deed::Erase(at)) => (None, Some(at), None),
            Some(Deed::Click(at)) => (None, None, Some(at)),
            _ => (None, None, None),
        };
        let drawn = drawn.map(|drawn| {
            assert_eq!((drawn.tool, drawn.from), (tool, (100.0, 100.0)));
            (drawn.to, drawn.erases)
        });
        (still, seen.is_some(), drawn, erased, clicked)
    };
    let (from, to, none) = ((100.0, 100.0), (140.0, 100.0), ModifiersState::empty());
    let (left, right, shift) = (MouseButton::Left, MouseButton::Right, ModifiersState::SHIFT);
    for tool in [Tool::Obstacles, Tool::Areas, Tool::Walls] {
        assert_eq!(send(tool, left, none, to), (true, true, Some((to, false)), None, None));
        assert_eq!(send(tool, left, none, (101.0, 100.0)), (true, false, None, None, Some(from)));
        assert_eq!(send(tool, left, shift, to), (false, false, None, None, None), "it moves the camera");
    }
    assert_eq!(send(Tool::Obstacles, right, none, from), (true, false, None, Some(from), None));
    assert_eq!(send(Tool::Walls, right, none, to), (true, true, Some((to, true)), None, None));
    assert_eq!(send(Tool::Walls, right, none, from).2, Some((from, true)), "a single spot");
    assert_eq!(send(Tool::Walls, left, ModifiersState::CONTROL, to).2, Some((to, true)));
    assert_eq!(send(Tool::Hand, left, none, to), (false, false, None, None, None), "control: it moves the camera");
    assert_eq!(send(Tool::Hand, right, none, from).3, None);
}

/// How many cells of a map are walls.
fn walls(draft: &Draft) -> usize {
    let walls = draft.map.as_ref().map(|map| map.walls(&draft.world, draft.seed));
    walls.map_or(0, |walls| walls.solid.iter().filter(|solid| **solid).count())
}

/// A wall is drawn by the mouse, in a scene with a map and in one without: the text has it, opened again it is the same run, what is
/// drawn over it opens it, and each is taken back by itself.
#[test]
fn walls_are_drawn_kept_opened_and_taken_back() {
    for name in ["flock", "evacuation"] {
        let mut session = session(name, &[]);
        let first = session.scene().draft();
        let plain = digest_after(&mut session, 20);
        let (view, before) = (View::from_scene(session.scene()), walls(session.scene()));
        let mut pointer = Pointer::default();
        let mut draw = |session: &mut Session, button: MouseButton| {
            pointer.tool = Tool::Walls;
            let ends = [(100.0, 120.0), (540.0, 380.0)];
            drag(&mut pointer, &view, (button, ModifiersState::empty()), ends);
            let Some(Deed::Draw(drawn)) = pointer.deed.take() else { panic!("a drag") };
            let edge = preview(&drawn, &[], session.scene(), BRUSH, &view, SIZE).remove(0);
            let ends = [drawn.from, drawn.to].map(|at| view.unproject(at, SIZE));
            tune(session, |draft| add_wall(draft, &ends, 2, drawn.erases));
            let stroke = session.scene().map.as_ref().and_then(|map| map.strokes.last().copied()).expect("a stroke");
            assert!(edge.len() > 36 && edge[0] == edge[edge.len() - 1], "{name}: it is closed");
            for at in edge {
                // At half its width from the line, wherever on it.
                let at = view.unproject(at.into(), SIZE);
                let share = ((at - ends[0]).dot(ends[1] - ends[0]) / ends[0].distance_squared(ends[1])).clamp(0.0, 1.0);
                let away = at.distance(ends[0].lerp(ends[1], share)) / (0.5 * stroke.width);
                assert!((away - 1.0).abs() < 0.01, "{name}: {away}");
            }
        };
        draw(&mut session, MouseButton::Left);
        let drawn = session.scene().draft();
        assert!(walls(&drawn) > before, "{name}");
        restart(&mut session);
        let around = digest_after(&mut session, 20);
        assert_ne!(around, plain, "{name}: it makes a difference");
        let again = kept(session.scene());
        assert_eq!(again.map, drawn.map, "{name}");
        assert_eq!(reference(&again, 20), around, "{name}: opened again");

        draw(&mut session, MouseButton::Right);
        let opened = walls(session.scene());
        assert!(opened < walls(&drawn) && (name != "flock" || opened == 0), "{name}: {opened} walls");
        for was in [&drawn, &first] {
            undo(&mut session);
            assert!(values(&session, &first) == *was, "{name}: taken back");
        }
    }
}

/// The tools over a picture of this width, and what is asked for.
fn shown(name: &str, tool: Tool, room: f32) -> Harness<'static, Desk> {
    harness(vec2(room, 300.0), (session(name, &[]), Vec::new()), move |ui, (session, wishes): &mut Desk| {
        tools(ui, session, tool, BRUSH, (room, 40.0), wishes);
    })
}

/// The button for walls is gray in a spatial world, and only there; beside it is how wide they are drawn.
#[test]
fn walls_have_a_button_in_flat_worlds() {
    for (name, tool, flat) in [("flock", Tool::Hand, true), ("flock", Tool::Walls, true), ("gulls", Tool::Hand, false)]
    {
        let mut desk = shown(name, tool, 790.0);
        assert_eq!(desk.get_by_label("Walls").accesskit_node().is_disabled(), !flat, "{name}");
        desk.click(if tool == Tool::Walls { "Hand" } else { "Walls" });
        let asked = desk.state().1.iter().any(|wish| matches!(wish, Wish::Act(Action::Walls)));
        assert_eq!(asked, flat, "{name}");
    }
}

/// Numbers beside the tools are typed as those of sliders are.
#[test]
fn numbers_of_the_brush_are_typed() {
    let mut desk = shown("flock", Tool::Agents, 790.0);
    for (text, agents) in [("1,000", Some(1000)), ("100.0", None), ("20,000", None), ("12", None)] {
        desk.state_mut().1.clear();
        desk.click_role(Role::SpinButton, 0);
        desk.enters(text);
        match desk.state().1.first() {
            Some(Wish::Brush(brush)) => assert_eq!(Some(brush.agents), agents, "{text}"),
            Some(Wish::Say(why)) => assert!(agents.is_none() && why.starts_with("Number was not changed"), "{why}"),
            _ => assert_eq!(text, "12", "it has this number already"),
        }
    }
}

/// As wide as the line of figures is at most: "1,000,000 agents · ×0.0321 · 0.962 frames/s", points.
const FIGURES: f32 = 320.0;

/// In a narrow picture the tools lie below the figures, in rows that end within it; each is there.
#[test]
fn a_narrow_picture_has_its_tools_below_the_figures() {
    for room in [200.0, 440.0, 790.0, 920.0] {
        let mut desk = shown("flock", Tool::Hand, room);
        for name in ["Hand", "Edit", "Walls", "Attract", "Repel"] {
            let place = desk.get_by_label(name).rect();
            assert!(place.left() >= 0.0 && place.right() <= room, "{name} in {room}: {place:?}");
            assert_eq!(place.top() > 40.0, room < 920.0, "{name} in {room}: {place:?}");
            assert!(place.top() > 40.0 || place.left() > FIGURES, "{name} in {room}: {place:?}");
        }
        desk.click("Repel");
        assert!(matches!(desk.state().1.last(), Some(Wish::Act(Action::Repel))), "{room}");
    }
}
