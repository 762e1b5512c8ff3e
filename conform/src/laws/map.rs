//! Walls of a map: nobody passes through them.

use crate::*;

laws! {
    map_walls_hold in both: "no body ends a step in a wall of the map or beyond one, however many cells a step is long",
        source: "ours: a move is followed from cell to cell, and ends at the first wall",
        mutant: along_walls("if (!is_wall(next + 0.5)) {" => "if (!is_wall(next + 0.5) || sideways) {"),
        mistake: "walls that are met along x let agents pass";
    map_walls_slide in both: "pushed against a flat wall at any angle, a body stays on this side of it and goes v_t t along it",
        source: "ours: a wall without friction takes the velocity across it",
        mutant: along_walls("end.velocity.y = 0.0;" => "end.velocity = vec3f(0.0);"),
        mistake: "an agent that meets a wall stops";
    map_walls_as_planes in both:
        "beside a flat wall of a map an agent that avoids, feels or follows the wall steers as beside a plane, to 2 %",
        source: "far from its corners a wall acts as a plane",
        mutant: map_way(".distance - radius" => ".distance"),
        mistake: "bodies have no extent";
    map_crowds_cost:
        "the way to a goal is the shorter one of two, each as long as the sum of 1 + c ρ over its cells, ρ the \
         agents per open ground around a cell",
        source: "Treuille and others 2006, the discomfort of a density, by one coefficient; sums over corridors one cell wide",
        mutant: way_add("sum.cells + cells_of(way.y) * own" => "sum.cells + own"),
        mistake: "ways lead to goals, but have no lengths";
}

/// Cells along the maze that agents meet from outside, and the side of a cell, u. A wall surrounds every maze.
const ACROSS: f64 = 128.0;
const CELL: f64 = 0.5;
const HALF: f64 = 0.5 * ACROSS * CELL;

fn map_walls_hold(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const STEPS: u32 = 60;
    for _ in 0..6 {
        let (rooms, cell) = (draw.whole(8, 14), draw.between(0.5, 3.0));
        let (across, dt) = (2 * rooms + 1, 0.05);
        // Cells that an agent moves in a step.
        let pace = draw.scale(0.05, 30.0);
        let size = [cell * f64::from(across); 3];
        let maze = format!("map = {{ source = \"maze\", resolution = {across} }}");
        let mut setup = Setup::within(spatial, size, "open", dt, maze).seeded(draw);
        let mut bodies = Vec::new();
        for _ in 0..100 {
            // Rooms are the cells of odd column and row.
            let mut along = || cell * (f64::from(2 * draw.whole(0, rooms - 1) + 1) - f64::from(rooms));
            let position = [along(), along(), 0.0];
            bodies.push(Body::at(position).moving(times(draw.heading(spatial), pace * cell / dt)));
        }
        let speed = pace * cell / dt;
        let limits = format!("max_speed = {speed}\nmin_speed = {}\nmax_force = 1e9\n", 0.5 * speed);
        setup.species(&format!("{limits}behaviors.wander = {{}}"), &bodies);
        let scene = bench.scene(&setup)?;
        let Some(walls) = scene.map.as_ref().map(|map| map.walls(&scene.world, scene.seed)) else { return Ok(()) };
        let mut run = bench.start(&setup)?;
        let mut lost = 0;
        for _ in 0..STEPS {
            run.step(1)?;
            let column = |x: f64| (x / f64::from(walls.cell) + 0.5 * f64::from(across)).floor() as i32;
            // A position on the line between a wall and an open cell is not lost: rounding decides there.
            let is_lost = |Body { position: [x, y, _], .. }: &Body| {
                [-1e-5 * cell, 1e-5 * cell].iter().all(|near| {
                    let (column, row) = (column(x + near), column(-y - near));
                    walls.index(column, row).is_none() || walls.is_solid(column, row)
                })
            };
            lost += run.bodies()?.iter().filter(|body| is_lost(body)).count();
        }
        bench.check(Case::absolute(&[("cells", f64::from(across)), ("cells in a step", pace)], 0.0, lost as f64, 0.0));
    }
    Ok(())
}

/// Turn a vector that is given for the upper side of a map to its side `k`.
fn turned_to(k: usize, [x, y, z]: V) -> V {
    [[x, y, z], [-y, x, z], [-x, -y, z], [y, -x, z]][k % 4]
}

fn map_walls_slide(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (dt, steps) = (0.02, 50);
    let mut body = |k: usize| {
        let position = [draw.between(-10.0, 10.0), HALF + draw.between(0.01, 3.0), 0.0];
        let rise = if spatial { draw.between(-10.0, 10.0) } else { 0.0 };
        let velocity = [draw.between(-18.0, 18.0), -draw.scale(5.0, 500.0), rise];
        Body::at(turned_to(k, position)).moving(turned_to(k, velocity))
    };
    let bodies: Vec<Body> = (0..40).map(&mut body).collect();
    let maze = format!("map = {{ source = \"maze\", resolution = {ACROSS}, cell = {CELL} }}\n");
    let setup = Setup::open_with(spatial, dt, maze).with(FREE, &bodies);
    bench.arrives(setup, steps, 0..40, |setup, k| {
        let start = setup.body(k);
        move |after| {
            // Turns a vector back to the upper side.
            let back = |v: V| turned_to(4 - k % 4, v);
            let (velocity, at) = (back(start.velocity), back(after[k].position));
            let expected = plus(back(start.position), times(velocity, f64::from(steps) * dt));
            let parameters = [("v_n", -velocity[1]), ("v_t", velocity[0])];
            bench.check([
                Case::vector_within(&parameters, [expected[0], HALF, expected[2]], at, 1e-2),
                Case::at_least(&parameters, HALF, at[1], 0.0),
                Case::vector_within(&parameters, [velocity[0], 0.0, velocity[2]], back(after[k].velocity), 1e-4),
            ]);
        }
    })
}

fn map_walls_as_planes(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    const AVOIDS: &str = "obstacle_avoidance = { look_ahead_time = 1.5 }";
    // The agents of the last rule come around a corner: another side of the block is nearer to them than the one on their course.
    const RULES: [&str; 4] = [AVOIDS, "whiskers = { length = 6 }", "wall_following = {}", AVOIDS];
    for side in [0, 3] {
        // A block so thick that no look-ahead reaches through it.
        const SIDE: f64 = 20.0;
        let normal = turned_to(side, [0.0, 1.0, 0.0]);
        let wall = blocks(spatial, &[[[-SIDE; 2], [SIDE; 2]]]);
        let plane = plane(spatial, times(normal, SIDE), normal);
        let crowds = [0, 1, 2, 3].map(|rule| {
            let body = |_| {
                let rise = if spatial { draw.between(-3.0, 3.0) } else { 0.0 };
                let (mut position, mut velocity) = (
                    [draw.between(-8.0, 8.0), SIDE + draw.between(0.6, 4.0), 0.0],
                    [draw.between(-5.0, 5.0), -draw.between(1.0, 7.0), rise],
                );
                if rule == 3 {
                    position = [SIDE + draw.between(0.5, 1.5), SIDE + draw.between(2.0, 3.0), 0.0];
                    velocity = [-draw.between(7.0, 8.5), -draw.between(2.5, 3.5), 0.1 * rise];
                }
                Body::at(turned_to(side, position)).moving(turned_to(side, velocity))
            };
            (0..8).map(body).collect::<Vec<_>>()
        });
        let mut steering = Vec::new();
        for scenery in [wall, plane] {
            let mut setup = Setup::open_with(spatial, 0.02, scenery);
            for (rule, bodies) in RULES.iter().zip(&crowds) {
                setup.species(&format!("max_speed = 10\nmax_force = 1e6\nradius = 0.5\nbehaviors.{rule}\n"), bodies);
            }
            steering.push(bench.steering(&setup)?.accelerations);
        }
        for (id, (found, expected)) in steering[0].iter().zip(&steering[1]).enumerate() {
            let parameters = [("side", side as f64), ("rule", (id / 8) as f64), ("agent", (id % 8) as f64)];
            bench.check(Case::vector_within(&parameters, *expected, *found, 0.02 * norm(*expected) + 0.02));
        }
    }
    Ok(())
}

/// Width and height, in cells, of a closed corridor ("ring"), and of the block of the map that holds it with enough wall around it.
const RING: [i32; 2] = [9, 5];
const BLOCK: [i32; 2] = [12, 8];
/// Number of rings along both axes.
const RINGS: [i32; 2] = [6, 4];

/// The cells of a ring from the middle of its left side to the middle of its right side, by its upper or lower side.
fn ring_way(ring: i32, upper: bool) -> Vec<[i32; 2]> {
    let [left, low] = [BLOCK[0] * (ring % RINGS[0]) + 1, BLOCK[1] * (ring / RINGS[0]) + 1];
    let [half, side] = [RING[1] / 2, if upper { 1 } else { -1 }];
    let up = (0..half).map(|k| [0, half + side * k]);
    let across = (0..RING[0]).map(|k| [k, half + side * half]);
    let down = (0..half).rev().map(|k| [RING[0] - 1, half + side * k]);
    up.chain(across).chain(down).map(|[x, y]| [left + x, low + y]).collect()
}

fn map_crowds_cost(bench: &Bench, draw: &mut Draw) -> Tried {
    for (cell, reach) in [(1.0, 0), (0.5, 1), (2.0, 2)] {
        let (slow, speed) = (1000.0, 10.0);
        let crowding = draw.between(0.1, 0.6) * cell * cell;
        let size = [0, 1].map(|axis| f64::from(BLOCK[axis] * RINGS[axis]) * cell);
        let middle = |at: [i32; 2]| [0, 1].map(|axis| (f64::from(at[axis]) + 0.5) * cell - 0.5 * size[axis]);
        let (mut strokes, mut goals, mut standing) = (String::new(), String::new(), Vec::new());
        let mut stroke = |from: [f64; 2], to: [f64; 2], width: f64, open: bool| {
            strokes += &format!("[[map.strokes]]\nfrom = {from:?}\nto = {to:?}\nwidth = {width}\nopen = {open}\n");
        };
        stroke([-size[0], 0.0], [size[0], 0.0], 4.0 * size[1], false);
        let rings = 0..RINGS[0] * RINGS[1];
        let mut agents = std::collections::BTreeMap::<[i32; 2], u32>::new();
        for ring in rings.clone() {
            let ways = [true, false].map(|upper| ring_way(ring, upper));
            for way in &ways {
                way.windows(2).for_each(|two| stroke(middle(two[0]), middle(two[1]), 0.5 * cell, true));
                // Crowds on some of the cells between start and goal.
                for at in &way[1..way.len() - 1] {
                    let many = draw.whole(0, 12).saturating_sub(8);
                    for _ in 0..many {
                        let [x, y] = middle(*at).map(|middle| middle + cell * draw.between(-0.4, 0.4));
                        standing.push(Body::at([x, y, 0.0]));
                    }
                    *agents.entry(*at).or_default() += many;
                }
            }
            *agents.entry(ways[0][0]).or_default() += 1;
            let goal = ways[0].last().copied().unwrap_or_default();
            agents.entry(goal).or_default();
            goals += &format!("[[map.goals]]\nname = \"{ring}\"\nplace = {:?}\n", middle(goal));
        }
        let keys = format!(
            "resolution = {}\ncell = {cell}\ncrowding = {crowding}\ncrowding_radius = {}\ncrowding_every = 1",
            BLOCK[0] * RINGS[0],
            1.1 * f64::from(reach) * cell
        );
        let head = format!(
            "dt = {DT}\nworld = {{ size = {size:?}, boundary = \"open\" }}\n[map]\nsource = \"open\"\n{keys}\n{strokes}{goals}"
        );
        let mut setup = Setup::new(head);
        for ring in rings.clone() {
            let [x, y] = middle(ring_way(ring, true)[0]);
            let rule = format!("target = {{ goal = \"{ring}\" }}, slow_radius = {slow}");
            let lines = limits(speed, 1e9, 1.0) + &format!("behaviors.arrive = {{ {rule} }}");
            setup.agent(&lines, [x, y, 0.0], ZERO);
        }
        setup.species("max_force = 0", &standing);
        let found = bench.after(&setup, 1)?;
        // In sixteenths of light ground, as docs/walls.md says.
        let cost = |at: &[i32; 2]| {
            let near = agents.iter().filter(|(other, _)| (0..2).all(|axis| (other[axis] - at[axis]).abs() <= reach));
            let (people, open) = near.fold((0, 0), |(people, open), (_, more)| (people + more, open + 1));
            let density = f64::from(people) / (f64::from(open) * cell * cell);
            (16.0 * (1.0 + f64::from(crowding as f32) * density)).round().min(255.0) / 16.0
        };
        for ring in rings {
            let length = |upper: bool| {
                let way = ring_way(ring, upper);
                way[..way.len() - 1].iter().map(cost).sum::<f64>() * cell
            };
            let [upper, lower] = [length(true), length(false)];
            let side = if upper < lower { 1.0 } else { -1.0 };
            let expected = [0.0, side * speed * upper.min(lower) / slow * DT, 0.0];
            let parameters = [("c", crowding), ("cell", cell), ("upper", upper), ("lower", lower)];
            if upper != lower {
                bench.check(Case::vector(&parameters, expected, found[ring as usize].velocity, 1e-6));
            }
        }
    }
    Ok(())
}
