//! Two runs beside each other.

use super::screen::Screen;
use super::window::Window;

/// Has the left half of the window the same pixels as the right one? Messages below and the line between them do not count.
fn is_twice(window: &Window, shot: &[u32]) -> bool {
    let [.., width, height] = window.geometry();
    let half = width / 4 * 2;
    let rows = shot.chunks_exact(width).take(height - 90);
    rows.into_iter().all(|row| row[2..half - 2] == row[half + 2..2 * half - 2])
}

/// They are one picture twice until something is changed, the camera moves both, and the run as it was is kept to the bit.
#[test]
fn a_run_is_beside_what_it_was() {
    let screen = Screen::start();
    let mut window = screen.open(&["flock", "--agents", "500", "--seed", "3", "--paused"]);
    let ten = window.ten_steps_from_the_start();
    window.park();
    let alone = window.shows("F2", "the picture alone");
    let two = window.shows("x", "the run beside");
    assert!(is_twice(&window, &two) && !is_twice(&window, &alone), "the run is there twice");
    for from in [(100, 200), (500, 200)] {
        let before = window.settled_shot();
        window.drag("1", from, (from.0 + 40, from.1 + 20));
        window.park();
        let moved = window.changed_shot(&before, "a drag moves");
        assert!(is_twice(&window, &moved), "a drag from {from:?} moves both");
    }
    window.shows("F2", "the panel");
    window.find_slider(&ten);
    window.park();
    let tuned = window.shows("F2", "the picture alone");
    assert!(!is_twice(&window, &tuned), "control: with a change they are two");
    window.shows("shift+x", "the run as it was");
    assert_eq!(window.ten_steps_from_the_start(), ten, "the values of before are kept");
    window.quit();
}
