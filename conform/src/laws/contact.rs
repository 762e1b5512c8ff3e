//! Bodies that collide: what overlaps at the end of a step is moved apart.

use crate::*;

laws! {
    source: "position-based dynamics (Müller and others 2007), where contacts only reduce velocities";
    contact_pair in both:
        "two bodies that overlap are moved apart along their line until they touch, by m₂ : m₁, also across a \
         wrapped end; two that meet head-on with no total momentum stop",
        mutant: pushed_by_others("their_mass / (mass + their_mass)" => "0.5"),
        mistake: "the heavier one gives way as far as the lighter one";
    contact_obstacle in both:
        "an agent that presses against a ball stays where its body touches the ball, however long and hard it presses",
        mutant: collide_move("radius_of(own, own_id) - wall.distance" => "0.0 - wall.distance"),
        mistake: "only centers are kept out";
}

fn contact_pair(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let (wanders, perceives) = ("behaviors.wander = {}", "behaviors.cohesion.perception_radius = 2");
    let open = (Setup::open(spatial, DT), wanders);
    pairs_part(bench, draw, spatial, open, (0..16).map(|index| lane(index, 12.0)), |way| way)?;
    // A world so narrow that the walk over neighbors visits a cell as several images, because it has one cell or few along that axis.
    // Pairs lie across its seam and elsewhere.
    const WIDTH: f64 = 6.0;
    for (narrow, long) in if spatial { [(0, 1), (1, 0), (2, 0)].to_vec() } else { [(0, 1), (1, 0)].to_vec() } {
        let mut size = [20.0; 3];
        (size[narrow], size[long]) = (WIDTH, 60.0);
        for acts in [wanders, perceives] {
            let setup = Setup::within(spatial, size, "wrap", DT, "");
            let end = [0.5, draw.between(-0.5, 0.5), 0.5, draw.between(-0.5, 0.5)];
            let places = end.into_iter().enumerate().map(|(index, end)| {
                let mut place = ZERO;
                (place[narrow], place[long]) = (WIDTH * end, index as f64 * 12.0 - 18.0);
                place
            });
            pairs_part(bench, draw, spatial, (setup, acts), places, |mut way| {
                way[narrow] -= WIDTH * (way[narrow] / WIDTH).round();
                way
            })?;
        }
    }
    Ok(())
}

/// `nearest` gives, of all images of a position or an offset in a wrapped world, the one nearest to the origin.
fn pairs_part(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    (setup, acts): (Setup, &str),
    places: impl Iterator<Item = V>,
    nearest: impl Fn(V) -> V,
) -> Tried {
    let nearest = &nearest;
    bench.arrives(setup, 1, places.enumerate(), |setup, (index, place)| {
        let (masses, radii) = ([0; 2].map(|_| draw.scale(0.2, 5.0)), [0; 2].map(|_| draw.between(0.3, 1.5)));
        let line = draw.heading(spatial);
        let (room, whole) = (radii[0] + radii[1], masses[0] + masses[1]);
        // Either at rest and overlapping, or just touching and moving toward each other.
        let (share, closing) =
            if index % 2 == 0 { (draw.between(0.2, 0.9), 0.0) } else { (1.0, draw.between(1.0, 6.0)) };
        let both = [0, 1].map(|side: usize| {
            let away = times(line, if side == 0 { 1.0 } else { -1.0 } * masses[1 - side] / whole);
            let (mass, radius) = (masses[side], radii[side]);
            let body = format!("mass = {mass}\nradius = {radius}\nmax_speed = 20\nmax_force = 0");
            let position = nearest(plus(place, times(away, share * room)));
            let id = setup.agent(&format!("collide = true\n{body}\n{acts}\n"), position, times(away, -closing));
            (id, mass / whole, plus(place, times(away, room)))
        });
        move |after| {
            for (id, mass, touching) in both {
                let parameters = [("R", room), ("d/R", share), ("m/M", mass)];
                let found = plus(touching, nearest(minus(after[id].position, touching)));
                bench.check(Case::vector_within(&parameters, touching, found, 3e-5));
                bench.check(Case::vector_within(&parameters, ZERO, after[id].velocity, 2e-3));
            }
        }
    })
}

fn contact_obstacle(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let balls: Vec<(V, f64)> = (0..12).map(|index| (lane(index, 20.0), draw.between(1.0, 4.0))).collect();
    let scenery: Vec<String> = balls.iter().map(|(center, radius)| sphere(spatial, *center, *radius)).collect();
    let mut out = ZERO;
    let sides = balls.into_iter().flat_map(|ball| [1.0, -1.0].map(|side| (ball, side)));
    bench.arrives(among(spatial, 1.0 / 64.0, &scenery), 120, sides, |setup, ((center, ball), side)| {
        if side > 0.0 {
            out = draw.heading(spatial);
        }
        let (radius, speed, force) = (draw.between(0.2, 1.5), draw.between(1.0, 8.0), draw.scale(5.0, 200.0));
        let lines = format!(
            "collide = true\nradius = {radius}\nmax_speed = {speed}\nmax_force = {force}\n\
             behaviors.seek.target.point = {}\n",
            point(spatial, center)
        );
        let (away, room) = (times(out, side), ball + radius);
        let id = setup.agent(&lines, plus(center, times(away, room + 0.25)), times(away, -speed));
        move |found| {
            let distance = norm(minus(found[id].position, center));
            bench.check(Case::absolute(&[("R", room), ("a_max", force)], room, distance, 1e-4));
        }
    })
}
