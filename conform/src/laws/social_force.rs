//! Social force: the pedestrians of Helbing and others.

use crate::*;

const MOLNAR: &str = "Helbing and Molnár 1995, Social force model for pedestrian dynamics";
const PANIC: &str = "Helbing, Farkas and Vicsek 2000, Simulating dynamical features of escape panic";

laws! {
    social_force_repulsion in both:
        "A = Σ V₀/σ e^(-b/σ) ∇b, 2b = √((|d| + |d - y|)² - |y|²), y = Δt u, as the slope of V₀ e^(-b/σ); c times that out of sight",
        source: MOLNAR,
        mutant: social_force_add("neighbor.velocity * social_force.step_time" => "agent.velocity * social_force.step_time"),
        mistake: "the ellipse lies along the agent's own step";
    social_force_contact in both by among_others(Drawn::new, [1.2, 2.5]):
        "A = Σ a e^((R - d)/B) n + k (R - d) n + κ (R - d) Δv_t t, the last two terms where bodies overlap",
        source: PANIC,
        mutant: social_force_contact("relative - away * dot3(relative, away)" => "relative"),
        mistake: "friction acts on the speed of approach, too";
    social_force_sight in both: "a neighbor more than φ/2 off the heading counts c times, and one less off in full",
        source: MOLNAR,
        mutant: social_force_add("-dot3(repelled, agent.forward)" => "dot3(repelled, agent.forward)"),
        mistake: "neighbors behind count as in sight";
    social_force_momentum in both:
        "with attention all around and no step_time the forces of pairs cancel, also of coincident agents: Σ A = 0",
        source: "forces of a pair are opposite",
        mutant: social_force_add_coincident("select(-apart, apart, agent.id < other)" => "apart"),
        mistake: "coincident agents part the same way";
    social_force_walls in both:
        "the nearest wall gives A = a e^((r - d)/B) n + k (r - d) n - κ (r - d) (v·t) t, the last two terms where \
         the body touches it",
        source: PANIC,
        mutant: social_force_resolve("wall.distance - agent.radius" => "wall.distance"),
        mistake: "walls act on agents without extent";
    social_force_rest in both:
        "an agent that walks at a wall comes to rest where a e^((r - d)/B) + k max(r - d, 0) = v₀/τ",
        source: "balance of the two forces of Helbing and others, by bisection",
        mutant: social_force_resolve("social_force.wall_repulsion" => "social_force.repulsion"),
        mistake: "a wall pushes like a neighbor";
}

/// Parameters of a species, drawn around the published ones.
#[derive(Clone, Copy)]
struct Drawn {
    radius: f64,
    repulsion: f64,
    length: f64,
    wall_repulsion: f64,
    wall_length: f64,
    step: f64,
    attention: f64,
    inattention: f64,
    stiffness: f64,
    friction: f64,
}

/// Perception radius, u.
const SIGHT: f64 = 10.0;

impl Drawn {
    fn new(draw: &mut Draw) -> Drawn {
        Drawn {
            radius: draw.between(0.2, 0.4),
            repulsion: draw.scale(1.0, 50.0),
            length: draw.scale(0.05, 0.5),
            wall_repulsion: draw.scale(1.0, 50.0),
            wall_length: draw.scale(0.05, 0.5),
            step: 0.0,
            attention: 360.0,
            inattention: 1.0,
            stiffness: draw.scale(100.0, 2000.0),
            friction: draw.scale(100.0, 4000.0),
        }
    }

    fn lines(&self) -> String {
        let Drawn { radius, repulsion, length, wall_repulsion, wall_length, .. } = self;
        let Drawn { step, attention, inattention, stiffness, friction, .. } = self;
        let far = format!("repulsion = {repulsion}, repulsion_length = {length}, step_time = {step}");
        let walls = format!("wall_repulsion = {wall_repulsion}, wall_length = {wall_length}");
        let sight = format!("attention = {attention}, inattention = {inattention}");
        let near = format!("stiffness = {stiffness}, friction = {friction}");
        let vision = format!("perception_radius = {SIGHT}, field_of_view = 360");
        format!("radius = {radius}\nbehaviors.social_force = {{ {far}, {walls}, {sight}, {near}, {vision} }}\n")
    }

    /// The potential at offset `d` from a neighbor with this velocity. Its negative gradient is the repulsion.
    fn potential(&self, d: V, velocity: V) -> f64 {
        let y = times(velocity, self.step);
        let both = norm(d) + norm(minus(d, y));
        let b = 0.5 * (both * both - dot(y, y)).sqrt();
        self.repulsion * self.length * ((2.0 * self.radius - b) / self.length).exp()
    }

    /// The repulsion, by differences of the potential.
    fn repelled(&self, d: V, velocity: V, spatial: bool) -> V {
        let h = 1e-5;
        let slope = |axis: usize| {
            let (mut more, mut less) = (d, d);
            more[axis] += h;
            less[axis] -= h;
            (self.potential(less, velocity) - self.potential(more, velocity)) / (2.0 * h)
        };
        [slope(0), slope(1), if spatial { slope(2) } else { 0.0 }]
    }

    /// The push and friction between two bodies, or a body and a wall, that overlap by so much.
    fn contact(&self, overlap: f64, away: V, relative: V) -> V {
        let sliding = minus(relative, times(away, dot(relative, away)));
        times(plus(times(away, self.stiffness), times(sliding, self.friction)), overlap.max(0.0))
    }
}

/// Check how one agent steers among others of its species.
fn among_others(
    bench: &Bench,
    draw: &mut Draw,
    spatial: bool,
    mut drawn: impl FnMut(&mut Draw) -> Drawn,
    near: [f64; 2],
) -> Tried {
    let crowds = [1, 1, 1, 2, 2, 3, 4, 6, 1, 1, 2, 3];
    bench.wants(Setup::open(spatial, 0.01).apart(), crowds, |setup, others| {
        let drawn = drawn(draw);
        let own = draw.crowd(1, spatial, ZERO, 20.0, 1.3)[0];
        let mut bodies = vec![Body::at(rounded(own.position)).moving(rounded(own.velocity))];
        while bodies.len() <= others {
            let offset = times(draw.heading(spatial), drawn.radius * draw.between(near[0], near[1]));
            let velocity = rounded(times(draw.heading(spatial), draw.between(0.2, 2.0)));
            let d = times(offset, -1.0);
            let repelled = drawn.repelled(d, velocity, spatial);
            let angle = (-dot(repelled, own.velocity) / norm(repelled) / norm(own.velocity)).clamp(-1.0, 1.0).acos();
            // Along the neighbor's way of a step the gradient is unbounded, and at the edge of sight rounding decides.
            let step = times(velocity, drawn.step);
            let on_the_way = norm(d) + norm(minus(d, step)) < 1.05 * norm(step);
            if !on_the_way && (angle.to_degrees() - drawn.attention / 2.0).abs() > 0.1 {
                bodies.push(Body::at(rounded(plus(own.position, offset))).moving(velocity));
            }
        }
        let (ids, bodies) = setup.flock(&drawn.lines(), &bodies);
        let own = bodies[0];
        let (mut expected, mut scale) = (ZERO, 0.0);
        for other in &bodies[1..] {
            let d = minus(own.position, other.position);
            let repelled = drawn.repelled(d, other.velocity, spatial);
            let ahead = -dot(repelled, own.velocity)
                >= norm(repelled) * norm(own.velocity) * (drawn.attention / 2.0).to_radians().cos();
            let share = if ahead || drawn.attention == 360.0 { 1.0 } else { drawn.inattention };
            let overlap = 2.0 * drawn.radius - norm(d);
            let contact = drawn.contact(overlap, unit(d), minus(other.velocity, own.velocity));
            expected = plus(expected, plus(times(repelled, share), contact));
            scale += norm(repelled) + norm(contact);
        }
        let parameters =
            [("agents", ids.len() as f64), ("σ", drawn.length), ("Δt", drawn.step), ("c", drawn.inattention)];
        // Distances are rounded to 2e-6 u, which changes a force that falls off within `length` by that share of it.
        (ids.start, parameters, expected, scale * (2e-5 + 4e-6 / drawn.length) + 1e-5)
    })
}

fn social_force_repulsion(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let drawn =
        |draw: &mut Draw| Drawn { step: draw.between(0.2, 2.0), length: draw.between(0.2, 0.5), ..Drawn::new(draw) };
    among_others(bench, draw, spatial, drawn, [2.2, 8.0])
}

fn social_force_sight(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let drawn = |draw: &mut Draw| {
        let (attention, inattention) = (draw.between(60.0, 300.0), draw.between(0.0, 0.6));
        Drawn { attention, inattention, ..Drawn::new(draw) }
    };
    among_others(bench, draw, spatial, drawn, [2.1, 4.0])
}

fn social_force_momentum(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    bench.steers(Setup::open(spatial, 0.01), [2, 2, 3, 4, 6, 9, 14, 20, 30, 45], |setup, size| {
        // Those at one place are of different radii.
        let drawn = Drawn { radius: 0.1, length: draw.between(0.2, 0.5), ..Drawn::new(draw) };
        let perceives = format!("perceives = [\"{0} small\", \"{0} large\"]\n", setup.next());
        let kind =
            |name: &str, drawn: Drawn| format!("name = \"{} {name}\"\n{perceives}{}", setup.next(), drawn.lines());
        let (small, large) = (kind("small", drawn), kind("large", Drawn { radius: 0.14, ..drawn }));
        let mut bodies = draw.crowd(size, spatial, ZERO, 3.0, 1.0);
        bodies[1] = bodies[0];
        let (first, others) = (setup.species(&small, &bodies[..1]), setup.species(&large, &bodies[1..]));
        let ids = first.start..others.end;
        move |found| {
            let parameters = [("agents", ids.len() as f64), ("σ", drawn.length)];
            let scale: f64 = found[ids.clone()].iter().map(|a| norm(*a)).sum();
            bench.check(Case::vector_within(&parameters, ZERO, sum(&found[ids.clone()]), 2e-5 * scale));
            if ids.len() == 2 {
                let expected = drawn.repulsion * (0.24 / drawn.length).exp() + drawn.stiffness * 0.24;
                bench.check(Case::relative(&parameters, expected, norm(found[ids.start]), 2e-5));
            }
        }
    })
}

fn social_force_walls(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    // A floor far below, a ball and a block: each agent is near to one of them.
    let scenery = [
        plane(spatial, [0.0, -40.0, 0.0], [0.0, 1.0, 0.0]),
        sphere(spatial, [-20.0, 0.0, 0.0], 4.0),
        cuboid(spatial, [20.0, 0.0, 0.0], [8.0, 8.0, 8.0]),
    ];
    bench.wants(among(spatial, 0.01, &scenery).apart(), 0..24, |setup, case| {
        let drawn = Drawn::new(draw);
        let gap = drawn.radius * draw.between(-0.6, 1.5) + drawn.radius;
        let (position, normal) = match case % 3 {
            0 => ([draw.between(-5.0, 5.0), -40.0 + gap, 0.0], [0.0, 1.0, 0.0]),
            1 => {
                let normal = draw.heading(spatial);
                (plus([-20.0, 0.0, 0.0], times(normal, 4.0 + gap)), normal)
            }
            _ => ([16.0 - gap, draw.between(-3.0, 3.0), 0.0], [-1.0, 0.0, 0.0]),
        };
        let velocity = times(draw.heading(spatial), 1.3);
        setup.agent(&drawn.lines(), rounded(position), rounded(velocity));
        let overlap = drawn.radius - gap;
        let repulsion = drawn.wall_repulsion * (overlap / drawn.wall_length).exp();
        let contact = drawn.contact(overlap, normal, times(setup.body(case).velocity, -1.0));
        let expected = plus(times(normal, repulsion), contact);
        let bound = (repulsion * (1.0 / drawn.wall_length + 1.0) + 4.0 * drawn.stiffness + 4.0 * drawn.friction) * 1e-5;
        (case, [("overlap", overlap), ("B", drawn.wall_length)], expected, bound)
    })
}

fn social_force_rest(bench: &Bench, draw: &mut Draw, spatial: bool) -> Tried {
    let wall = plane(spatial, ZERO, [-1.0, 0.0, 0.0]);
    bench.arrives(among(spatial, 1.0 / 128.0, &[wall]).apart(), 2600, 0..16, |setup, case| {
        let weak = if case % 2 == 0 { 1.0 } else { 0.02 };
        let drawn = Drawn { friction: 0.0, ..Drawn::new(draw) };
        let drawn = Drawn { wall_repulsion: weak * drawn.wall_repulsion, ..drawn };
        let (speed, tau) = (draw.between(0.6, 2.0), draw.between(0.3, 0.8));
        let beside = [0.0, draw.between(-50.0, 50.0), if spatial { draw.between(-50.0, 50.0) } else { 0.0 }];
        let goal = point(spatial, rounded(plus(beside, [1e4, 0.0, 0.0])));
        let walks = format!("max_speed = {speed}\ntime_constant = {tau}\nmax_force = 1e9\n");
        let lines = format!("{walks}{}behaviors.seek = {{ target = {{ point = {goal} }} }}\n", drawn.lines());
        setup.agent(&lines, rounded(minus(beside, [3.0, 0.0, 0.0])), [0.5, 0.0, 0.0]);
        let drive = speed / tau;
        move |found| {
            let push = |distance: f64| {
                let overlap = drawn.radius - distance;
                drawn.wall_repulsion * (overlap / drawn.wall_length).exp() + drawn.stiffness * overlap.max(0.0)
            };
            let near = bisected(0.0, 3.0, |distance| push(distance) > drive);
            let parameters = [("v₀/τ", drive), ("a", drawn.wall_repulsion), ("k", drawn.stiffness)];
            bench.check(Case::absolute(&parameters, near, -found[case].position[0], 2e-4));
        }
    })
}
