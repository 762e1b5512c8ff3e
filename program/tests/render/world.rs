//! What is drawn of a world beside its agents.

use super::*;
use steerling::scene::Pattern;

/// A plane with this boundary and nobody in it. `lines` are further ones of its file.
fn plane(boundary: &str, lines: &str) -> Scene {
    let world = format!("world = {{ size = [320, 180], boundary = {boundary} }}");
    parsed(&format!("schema = 1\n{world}\n{lines}\n[[species]]\ncount = 0\n"), &[])
}

/// Brightness over the background at a point of the world.
fn brightness(picture: &RgbaImage, scene: &Scene, at: Vec3) -> f32 {
    let at = View::from_scene(scene).project(at, SIZE).unwrap();
    let sum = |c: &[u8]| c.iter().map(|&c| f32::from(c)).sum::<f32>();
    let pixel = picture.get_pixel(at.x as u32, at.y as u32).0;
    sum(&pixel[..3]) - sum(&[0x0b, 0x0e, 0x15])
}

#[test]
fn scenery_appears_at_its_place() {
    let lines = "obstacles = [{ shape = \"sphere\", center = [-100, 20], radius = 30 }, \
                 { shape = \"box\", center = [100, 20], size = [60, 40] }, \
                 { shape = \"sphere\", center = [0, 40], radius = 30, seen_from = \"inside\" }, \
                 { shape = \"plane\", center = [0, -80], normal = [0, 3] }]\n\
                 paths = [{ points = [[-100, -40], [100, -40]], radius = 8 }]\n";
    let scene = plane("\"wrap\"", lines);
    let picture = draw_start(&scene);
    let at = |x: f32, y: f32| brightness(&picture, &scene, Vec3::new(x + 0.1, y + 0.1, 0.0));
    let (faces, edges, road) =
        ([(-100.0, 20.0), (-80.0, 20.0), (100.0, 20.0)], [(-70.0, 20.0), (130.0, 10.0)], (0.0, -34.0));
    assert!(faces.iter().all(|&(x, y)| at(x, y) > 60.0), "{:?}", faces.map(|(x, y)| at(x, y)));
    assert!(edges.iter().all(|&(x, y)| at(x, y) > 150.0), "{:?}", edges.map(|(x, y)| at(x, y)));
    assert!((20.0..90.0).contains(&at(road.0, road.1)), "{}", at(road.0, road.1));
    assert!(at(20.0, -40.0) > 100.0 && at(-80.0, -80.0) > 100.0, "{} {}", at(20.0, -40.0), at(-80.0, -80.0));
    // Nothing within what is seen from inside, beside the road, and beyond the box.
    for (x, y) in [(0.0, 40.0), (20.0, 40.0), (0.0, -55.0), (120.0, -40.0), (135.0, 20.0), (-100.0, 55.0)] {
        assert_eq!(at(x, y), 0.0, "{x} {y}");
    }
}

/// What reaches over a seam is on both sides of it, as it acts on both; on a corner it is in all four.
#[test]
fn obstacles_go_on_beyond_a_seam() {
    let seen = |boundary: &str, obstacle: &str, places: &[[f32; 2]]| -> Vec<bool> {
        let scene = plane(boundary, obstacle);
        let mut simulation = start(&scene);
        simulation.step(1).unwrap();
        let picture = draw_from(&scene, &simulation, &View::from_scene(&scene));
        places.iter().map(|[x, y]| brightness(&picture, &scene, Vec3::new(*x, *y, 0.0)) > 60.0).collect()
    };
    let ball = "obstacles = [{ shape = \"sphere\", center = [150, 0], radius = 30 }]";
    let corner = "obstacles = [{ shape = \"sphere\", center = [150, -80], radius = 30 }]";
    let beam = "obstacles = [{ shape = \"box\", center = [0, -85], size = [40, 30] }]";
    let moving = "trajectories = [{ name = \"way\", points = [[0, 0], [0, 0.1]], times = [0, 9] }]\n\
                  obstacles = [{ shape = \"sphere\", center = [150, 0], radius = 30, trajectory = \"way\" }]";
    let sides = [[150.0, 0.0], [-150.0, 0.0], [-120.0, 0.0]];
    let corners = [[150.0, -80.0], [-150.0, -80.0], [150.0, 80.0], [-150.0, 80.0]];
    assert_eq!(seen("\"wrap\"", ball, &sides), [true, true, false]);
    assert_eq!(seen("\"wrap\"", moving, &sides), [true, true, false]);
    assert_eq!(seen("\"wrap\"", corner, &corners), [true; 4]);
    assert_eq!(seen("\"wrap\"", beam, &[[0.0, -75.0], [0.0, 85.0], [0.0, 75.0]]), [true, true, false]);
    assert_eq!(seen("[\"wrap\", \"contain\"]", corner, &corners), [true, true, false, false]);
    assert_eq!(seen("\"contain\"", ball, &sides), [true, false, false]);
}

/// A plane has edges across the axes that are not wrapped, also where they are the picture's.
#[test]
fn a_plane_has_the_edges_that_it_has() {
    let edged = |boundary: &str| {
        let picture = draw_start(&plane(boundary, ""));
        let middle = (SIZE.0 / 2, SIZE.1 / 2);
        let sides = [(0, middle.1), (SIZE.0 - 1, middle.1), (middle.0, 0), (middle.0, SIZE.1 - 1)];
        sides.map(|(x, y)| picture.get_pixel(x, y) != picture.get_pixel(middle.0, middle.1))
    };
    assert_eq!(edged("\"contain\""), [true; 4]);
    assert_eq!(edged("\"wrap\""), [false; 4]);
    assert_eq!(edged("[\"wrap\", \"contain\"]"), [false, false, true, true]);
    assert_eq!(edged("[\"contain\", \"wrap\"]"), [true, true, false, false]);
}

/// Where the sky goes from dark to bright, walls and what grows stand out from it all the way, and never turn from darker to lighter.
#[test]
fn a_graded_sky_hides_no_part_of_the_ground() {
    let picture = |look: &str, rest: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nlook = {{ name = \"{look}\"{rest}\n[[species]]\ncount = 1\nradius = 1\nbehaviors.forage = {{}}\n"
        ))
    };
    let world = "\nworld = { size = [320, 180] }";
    let wall = "\nobstacles = [{ shape = \"box\", size = [200, 170] }]\n[ground]\nresolution = 32";
    for look in ["night", "dusk", "day", "ink", "deep"] {
        let plain = picture(look, &format!(" }}{world}\n[ground]\nresolution = 32"));
        for (what, rest) in [
            ("wall", format!(" }}{world}{wall}")),
            ("green", format!(" }}{world}\n[ground]\nresolution = 32\npatches = 9\npatch_radius = 200")),
            ("grass", format!(", pattern = \"grass\" }}{world}\n[ground]\nresolution = 32")),
        ] {
            let changed = picture(look, &rest);
            let row = |picture: &RgbaImage, y: u32| {
                (70..90).map(|x| luminance(picture.get_pixel(x, y))).sum::<f32>() / 20.0 + 0.05
            };
            let ratios: Vec<f32> = (10..170).step_by(4).map(|y| row(&changed, y) / row(&plain, y)).collect();
            let apart = |ratio: &f32| ratio.max(1.0 / ratio);
            let weakest = ratios.iter().map(apart).fold(f32::INFINITY, f32::min);
            assert!(weakest > 1.05, "{look}: {what} stands out by {weakest}");
            assert!(ratios.iter().all(|ratio| (*ratio > 1.0) == (ratios[0] > 1.0)), "{look} {what}: {ratios:?}");
        }
    }
}

#[test]
fn a_ball_hides_who_is_behind_it_and_nobody_else() {
    let text = "schema = 1\nworld = { size = [320, 180, 320], boundary = \"open\" }\ncamera = { yaw = 0, pitch = 0 }\n\
                obstacles = [{ shape = \"sphere\", radius = 40 }]\n\
                [[species]]\ncount = 1\nradius = 4\ncolor = \"#ffffff\"\n";
    for (radius, shown) in [("4", [true, false, true]), ("0.2", [true, false, true])] {
        let text = text.replace("radius = 4\n", &format!("radius = {radius}\n"));
        let scene = parsed(&text, &[]);
        let mut renderer = renderer(&scene);
        for (at, shown) in [(0.0, 60.0), (0.0, -60.0), (90.0, -60.0)].into_iter().zip(shown) {
            let state = one(Vec3::new(at.0, 0.0, at.1), Vec3::X);
            let lit = light_by(&mut renderer, &scene, &state, SIZE);
            assert_eq!(!lit.is_empty(), shown, "radius {radius} at {at:?}");
        }
    }
}

#[test]
fn surfaces_and_all_kinds_of_obstacles_are_drawn_in_space() {
    let picture = |lines: &str| {
        let text = format!("schema = 1\nworld.size = [90, 60, 90]\n{lines}\n[[species]]\ncount = 0\n");
        draw_start(&parsed(&text, &[]))
    };
    let nothing = picture("");
    let apart = |a: &RgbaImage, b: &RgbaImage| a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count();
    let differing = |lines: &str| apart(&picture(lines), &nothing);
    for (lines, most) in [
        ("surface = { shape = \"sphere\", radius = 25 }", 9000),
        ("surface = { shape = \"plane\", normal = [1, 2, 0] }", 25000),
        ("surface = { shape = \"height_field\", level = -20, hills = [{}] }", 25000),
        ("surface = { shape = \"mesh\", source = \"knot\" }", 9000),
        ("obstacles = [{ shape = \"sphere\", radius = 20, seen_from = \"both\" }]", 6000),
        ("obstacles = [{ shape = \"box\", size = [30, 20, 30] }]", 9000),
        ("obstacles = [{ shape = \"plane\", normal = [0, 1, 0] }]", 20000),
        ("paths = [{ points = [[-30, 0, 0], [0, 20, 9], [30, 0, 0]], closed = true }]", 3000),
    ] {
        let count = differing(lines);
        assert!((300..most).contains(&count), "{lines}: {count} pixels");
    }
    // A hill between the lines of the ground is there as well.
    let hill = |height: f32| {
        let hill = format!("{{ x = 0.7, z = 0.7, height = {height}, width = 0.2 }}");
        picture(&format!("surface = {{ shape = \"height_field\", level = -20, hills = [{hill}] }}"))
    };
    let shown = apart(&hill(0.01), &hill(30.0));
    assert!((8..400).contains(&shown), "{shown} pixels of a narrow hill");
}

/// Cells with a resource are green; where explorers are, the ground is lighter.
#[test]
fn the_ground_shows_what_is_left_and_where_explorers_were() {
    let picture = |ground: &str, behavior: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nworld = {{ size = [320, 180] }}\n[ground]\nresolution = 32\n{ground}\n\
             [[species]]\ncount = 1\nradius = 1\n{behavior}\n"
        ))
    };
    let lit = |picture: &RgbaImage, other: &RgbaImage| {
        let greener = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a.0[1] > b.0[1] + 20;
        picture.pixels().zip(other.pixels()).filter(greener).count()
    };
    let empty = picture("", "behaviors.forage = {}");
    let patches = picture("patches = 3\npatch_radius = 20", "behaviors.forage = {}");
    // Three discs of 20 u, a pixel per u; one may lie half on another.
    let green = lit(&patches, &empty);
    assert!((1500..4500).contains(&green), "{green} pixels are green");
    assert_eq!(lit(&empty, &empty), 0);
    // One cell of 10 u was visited.
    let explored = picture("", "behaviors.explore = {}");
    let differs = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| a != b;
    let visited = explored.pixels().zip(empty.pixels()).filter(differs).count();
    assert!((70..400).contains(&visited), "{visited} pixels");
    // In space the visited cell is a spot.
    let spots = |behavior: &str| {
        draw_after_a_step(&format!(
            "schema = 1\nworld = {{ size = [90, 90, 90] }}\n[ground]\nresolution = 8\n\
             [[species]]\ncount = 1\nradius = 0.1\n{behavior}\n"
        ))
    };
    let (explored, empty) =
        (spots("behaviors.explore = { weight = 1e-9 }"), spots("behaviors.forage = { weight = 1e-9 }"));
    let spotted = explored.pixels().zip(empty.pixels()).filter(differs).count();
    assert!((50..2000).contains(&spotted), "{spotted} pixels of a spot");
}

/// Who looks straight down sees no land at the lower end of the sky.
#[test]
fn from_above_there_is_no_horizon() {
    let scene = preset("murmuration", 300, &[]);
    let simulation = start(&scene);
    let lowest = |pitch: f32| {
        let mut view = View::from_scene(&scene);
        view.from_above(pitch);
        luminance(draw_from(&scene, &simulation, &view).get_pixel(SIZE.0 / 2, SIZE.1 - 1))
    };
    let (above, side) = (lowest(89.0), lowest(0.0));
    assert!(above > 0.2 && side < 0.02, "{above} from above, {side} from the side");
}

/// Slow ground is hatched where it lies, more where it is slower, whether the map has walls or not.
#[test]
fn slow_ground_is_hatched() {
    let folder = tempfile::TempDir::new().unwrap();
    // Swamp in the upper left quarter; in the other map a wall in the lower right corner too.
    let plan = |last: char| {
        let upper = format!("{}{}\n", "S".repeat(8), ".".repeat(8)).repeat(4);
        let lower = format!("{}\n", ".".repeat(16)).repeat(3);
        format!("type octile\nheight 8\nwidth 16\nmap\n{upper}{lower}{}{last}\n", ".".repeat(15))
    };
    let write = |text: String| std::fs::write(folder.path().join("plan.map"), text).unwrap();
    let mean = |cost: f32, at: [f32; 2]| {
        let map = format!("map = {{ source = \"plan.map\", cost = {cost} }}");
        let text = format!("schema = 1\nworld.size = [320, 160]\n{map}\n[[species]]\ncount = 0\n");
        let scene = Scene::parse(&text, &folder.path().join("test.toml").display().to_string(), &[]).unwrap();
        let picture = draw_start(&scene);
        let places = (0..400).map(|k| Vec3::new(at[0] + (k % 20) as f32, at[1] + (k / 20) as f32, 0.0));
        places.map(|place| brightness(&picture, &scene, place)).sum::<f32>() / 400.0
    };
    // As narrow as a map can be.
    write(format!("type octile\nheight 8\nwidth 1\nmap\n{}", "S\n".repeat(8)));
    assert!(mean(9.0, [-10.0, -10.0]) > 2.0 && mean(1.0, [-10.0, -10.0]) == 0.0);
    for last in ['.', '@'] {
        write(plan(last));
        let (swamp, beside, below) = ([-90.0, 30.0], [70.0, 30.0], [-90.0, -50.0]);
        let [some, much] = [1.5, 9.0].map(|cost| mean(cost, swamp));
        assert!(some > 2.0 && much > 1.5 * some, "wall {last}: {some} {much}");
        let others = [mean(1.0, swamp), mean(9.0, beside), mean(9.0, below)];
        // Where there is a wall, it shades the ground around it.
        assert!(others.iter().all(|seen| seen.abs() < 1.0), "wall {last}: {others:?}");
    }
}

/// A flat world may be painted: each pattern is another picture, and an agent stands out from it. Space is not.
#[test]
fn flat_worlds_are_painted() {
    let state = one(Vec3::ZERO, Vec3::X);
    let picture = |spatial: bool, pattern: Pattern| {
        draw(&edited(&scene(1, 12.0, spatial), |draft| draft.look.pattern = pattern), &state, SIZE)
    };
    let plain = picture(true, Pattern::Plain);
    let mut seen: Vec<RgbaImage> = Vec::new();
    let all = [Pattern::Plain, Pattern::Grass, Pattern::Water, Pattern::Sand, Pattern::Tiles];
    assert_eq!(all, *Pattern::ALL);
    for pattern in &all {
        let flat = picture(false, *pattern);
        assert!(!seen.contains(&flat), "{pattern:?} is another one");
        let ground = flat.enumerate_pixels().filter(|(x, ..)| *x < SIZE.0 / 4).map(|(.., pixel)| luminance(pixel));
        let brightest = ground.fold(0.0, f32::max);
        let agent = luminance(flat.get_pixel(SIZE.0 / 2, SIZE.1 / 2));
        assert!(agent > 5.0 * brightest, "{pattern:?}: {agent} {brightest}");
        assert!(picture(true, *pattern) == plain, "{pattern:?} in space");
        seen.push(flat);
    }
}
