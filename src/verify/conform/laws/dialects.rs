//! Dialects: how soon a desired velocity is reached where a scene does not say.

use crate::verify::conform::*;

pub const LAWS: &[Law] = &[Law {
    name: "dialect_gain",
    statement: "of the difference to the desired velocity a step makes up: all, or dt over 0.1, 0.25 or 1 s, smoothed or not",
    source: "Reynolds 1999 and Shiffman: per frame; Millington: time to target 0.1 s; OpenSteer: mass 1, smoothed by 0.15",
    mutant: Mutant {
        file: "common/agent.wgsl",
        from: "(desired - agent.velocity) / agent.time_constant",
        to: "desired - agent.velocity",
        mistake: "the velocity difference is taken for a force, whatever the time constant",
    },
    cases: gain,
}];

fn gain(bench: &mut Bench) -> Cases {
    let (dt, mut cases) = (1.0 / 60.0, Vec::new());
    let shares = [
        ("canonical", dt / 0.25),
        ("reynolds99", 1.0),
        ("opensteer", dt * (1.0 - (-dt / 0.1_f64).exp())),
        ("nature_of_code", 1.0),
        ("millington", dt / 0.1),
    ];
    for (dialect, share) in shares {
        let world = "world = { size = [400, 400], boundary = \"open\" }";
        let head = format!("dt = {dt}\ndialect = {dialect:?}\n{world}\nfield = {{ source = \"uniform\", speed = 5 }}");
        let mut setup = Setup::new(head);
        let lines = "max_speed = 100\nmax_force = 1e6\nbehaviors.flow_field = { weight = 1.0 }";
        let body = |_| Body { position: bench.draw.point(false, 100.0), velocity: bench.draw.point(false, 20.0) };
        let bodies: Vec<Body> = (0..5).map(body).collect();
        setup.species(lines, &bodies);
        for (id, after) in bench.after(&setup, 1)?.into_iter().enumerate() {
            let before = setup.body(id).velocity;
            let difference = minus([5.0, 0.0, 0.0], before);
            let expected = plus(before, times(difference, share));
            let parameters = [("share", share), ("difference", norm(difference))];
            cases.push(Case::vector_within(&parameters, expected, after.velocity, 1e-6 * norm(difference) + 1e-5));
        }
    }
    Ok(cases)
}
