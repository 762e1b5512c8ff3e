//! Walls of a map: nobody passes through them, and who heeds obstacles heeds them.

use crate::*;

laws! {
    map_walls_hold in both: "no body ends a step in a wall of the map or beyond one, however many cells a step is long",
        source: "ours: a move is followed from cell to cell, and ends at the first wall",
        mutant: along_walls("if (!is_wall(next + 0.5)) {" => "if (!is_wall(next + 0.5) || sideways) {"),
        mistake: "walls that are met along x let pass";
    map_walls_slide in both: "pushed against a flat wall at any angle, a body stays on this side of it and goes v_t t along it",
        source: "ours: a wall without friction takes the velocity across it",
        mutant: along_walls("end.velocity.y = 0.0;" => "end.velocity = vec3f(0.0);"),
        mistake: "who meets a wall stops";
    map_walls_as_a_box in both: "from outside, avoidance, whiskers and wall following heed the flat side of a map as that of a box",
        source: "the same surface, said in another way",
        mutant: map_way("map_clearance(position + forward * way).distance - radius" => "map_clearance(position + forward * way).distance"),
        mistake: "the agent is a point";
}

/// Cells of the mazes of the last two laws, and the extent of one, u. All around a maze is a wall.
const ACROSS: f64 = 128.0;
const CELL: f64 = 0.5;
const HALF: f64 = 0.5 * ACROSS * CELL;

fn map_walls_hold(bench: &mut Bench, spatial: bool) -> Cases {
    const STEPS: u32 = 60;
    let mut cases = Vec::new();
    for _ in 0..6 {
        let draw = &mut bench.draw;
        let (rooms, cell) = (draw.whole(8, 14), draw.between(0.5, 3.0));
        let (across, dt) = (2 * rooms + 1, 0.05);
        // Cells in a step.
        let pace = draw.scale(0.05, 30.0);
        let size = cell * f64::from(across);
        let size = if spatial { format!("[{size}, {size}, {size}]") } else { format!("[{size}, {size}]") };
        let head = format!(
            "dt = {dt}\nworld = {{ size = {size}, boundary = \"open\" }}\nmap = {{ source = \"maze\", resolution = {across} }}"
        );
        let mut setup = Setup::new(head).seeded(draw);
        let mut bodies = Vec::new();
        for _ in 0..100 {
            // Rooms are the cells of odd column and row.
            let mut along = || cell * (f64::from(2 * draw.whole(0, rooms - 1) + 1) - f64::from(rooms));
            let position = [along(), along(), 0.0];
            bodies.push(Body { position, velocity: times(draw.heading(spatial), pace * cell / dt) });
        }
        let speed = pace * cell / dt;
        let limits = format!("max_speed = {speed}\nmin_speed = {}\nmax_force = 1e9\n", 0.5 * speed);
        setup.species(&format!("{limits}behaviors.wander = {{}}"), &bodies);
        let scene = setup.scene()?;
        let Some(walls) = scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed)) else { return Ok(cases) };
        let mut run = bench.start(&setup)?;
        let mut lost = 0;
        for _ in 0..STEPS {
            run.step(1)?;
            let column = |x: f64| (x / f64::from(walls.cell) + 0.5 * f64::from(across)).floor() as i32;
            let is_lost = |Body { position: [x, y, _], .. }: &Body| {
                let (column, row) = (column(*x), column(-*y));
                walls.index(column, row).is_none() || walls.is_solid(column, row)
            };
            lost += run.bodies()?.iter().filter(|body| is_lost(body)).count();
        }
        let parameters = [("cells", f64::from(across)), ("cells in a step", pace)];
        cases.push(Case::absolute(&parameters, 0.0, lost as f64, 0.0));
    }
    Ok(cases)
}

/// A vector that is given for the upper side of a map, for its side `k`.
fn turned_to(k: usize, [x, y, z]: V) -> V {
    [[x, y, z], [-y, x, z], [-x, -y, z], [y, -x, z]][k % 4]
}

/// A world without ends around a maze, or a box of its size.
fn outside(spatial: bool, dt: f64, is_map: bool) -> Setup {
    let solid = match is_map {
        true => format!("map = {{ source = \"maze\", resolution = {ACROSS}, cell = {CELL} }}\n"),
        false => scenery::cuboid(spatial, ZERO, [2.0 * HALF, 2.0 * HALF, 1e6]),
    };
    Setup::open_with(spatial, dt, solid)
}

fn map_walls_slide(bench: &mut Bench, spatial: bool) -> Cases {
    let (dt, steps) = (0.02, 50);
    let (mut setup, mut bodies) = (outside(spatial, dt, true), Vec::new());
    for k in 0..40 {
        let draw = &mut bench.draw;
        let position = [draw.between(-10.0, 10.0), HALF + draw.between(0.01, 3.0), 0.0];
        let rise = if spatial { draw.between(-10.0, 10.0) } else { 0.0 };
        let velocity = [draw.between(-18.0, 18.0), -draw.scale(5.0, 500.0), rise];
        bodies.push(Body { position: turned_to(k, position), velocity: turned_to(k, velocity) });
    }
    setup.species(FREE, &bodies);
    let (start, found) = (setup.bodies(), bench.after(&setup, steps)?);
    let cases = start.iter().zip(&found).enumerate().flat_map(|(k, (before, after))| {
        // Back to the upper side.
        let back = |v: V| turned_to(4 - k % 4, v);
        let (velocity, at) = (back(before.velocity), back(after.position));
        let expected = plus(back(before.position), times(velocity, f64::from(steps) * dt));
        let parameters = [("v_n", -velocity[1]), ("v_t", velocity[0])];
        [
            Case::vector_within(&parameters, [expected[0], HALF, expected[2]], at, 1e-2),
            Case::at_least(&parameters, HALF, at[1], 0.0),
            Case::vector_within(&parameters, [velocity[0], 0.0, velocity[2]], back(after.velocity), 1e-4),
        ]
    });
    Ok(cases.collect())
}

fn map_walls_as_a_box(bench: &mut Bench, spatial: bool) -> Cases {
    let mut setups = [true, false].map(|is_map| outside(spatial, 0.01, is_map));
    let mut strongest = Vec::new();
    for k in 0..30 {
        let draw = &mut bench.draw;
        let (radius, most) = (draw.between(0.2, 1.0), draw.scale(5.0, 50.0));
        let gap = draw.between(2.0, 4.0);
        let position = [draw.between(-15.0, 15.0), HALF + radius + gap, 0.0];
        let (angle, rise) = (draw.between(0.35, 0.7), if spatial { draw.between(-0.3, 0.3) } else { 0.0 });
        let aside: f64 = if draw.whole(0, 1) == 0 { -1.0 } else { 1.0 };
        let velocity = times(unit([aside * angle.sin(), -angle.cos(), rise]), draw.between(3.0, 9.0));
        // Well beyond where they touch.
        let reach = 2.0 * gap / angle.cos() + 1.0;
        let rule = [
            format!("obstacle_avoidance = {{ braking = 0.7, min_look_ahead = {reach}, look_ahead_time = 0 }}"),
            format!("whiskers = {{ length = {reach} }}"),
            "wall_following = {}".to_owned(),
        ];
        let lines =
            format!("radius = {radius}\nmax_speed = 20\nmax_force = {most}\nbehaviors.{}", rule[k % rule.len()]);
        for setup in &mut setups {
            setup.agent(&lines, turned_to(k, position), turned_to(k, velocity));
        }
        strongest.push(most);
    }
    let [found, expected] = [&setups[0], &setups[1]].map(|setup| bench.steering(setup));
    let (found, expected) = (found?.accelerations, expected?.accelerations);
    // A feeler that meets the wall at a slant does so up to an eighth of a cell late.
    let cases = strongest.iter().zip(found.iter().zip(expected)).enumerate().map(|(k, (most, (found, expected)))| {
        let parameters = [("behavior", (k % 3) as f64), ("a", *most)];
        Case::vector_within(&parameters, expected, *found, 0.05 * most.max(norm(expected)))
    });
    Ok(cases.collect())
}
