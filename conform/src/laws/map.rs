//! Walls of a map: nobody passes through them.

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
}

/// Cells along the maze that is met from outside, and the extent of one, u. All around a maze is a wall.
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

fn map_walls_slide(bench: &mut Bench, spatial: bool) -> Cases {
    let (dt, steps) = (0.02, 50);
    let (mut setup, mut bodies) = (
        Setup::open_with(spatial, dt, format!("map = {{ source = \"maze\", resolution = {ACROSS}, cell = {CELL} }}\n")),
        Vec::new(),
    );
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
