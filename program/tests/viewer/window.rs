//! Steerling's window, as a person sees it and works it.

use super::drag;
use super::screen::{DEADLINE, LOST, MOMENT, Screen, poll};
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::Receiver;
use std::thread::sleep;
use std::time::Instant;

/// A line of the log.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    pub step: u64,
    pub digest: String,
    pub paused: bool,
    pub picked: Option<u32>,
}

impl Line {
    pub fn parse(text: &str) -> Line {
        let words: Vec<&str> = text.split(' ').collect();
        let (["step", step, "digest", digest, "paused", paused], picked) = words.split_at(words.len().min(6)) else {
            panic!("a strange line: {text}")
        };
        let picked = match picked {
            [] => None,
            ["picked", id] => Some(id.parse().expect("an id")),
            _ => panic!("a strange line: {text}"),
        };
        assert_eq!(digest.len(), 32, "{text}");
        Line {
            step: step.parse().expect("a number"),
            digest: (*digest).to_owned(),
            paused: paused.parse().expect("a truth value"),
            picked,
        }
    }
}

/// Steerling's window.
pub struct Window<'a> {
    pub screen: &'a Screen,
    pub child: Child,
    pub lines: Receiver<Line>,
    pub latest: Line,
    pub id: String,
    /// Pixels to a point.
    pub scale: u32,
}

impl Window<'_> {
    /// The next line of the log.
    pub fn next_line(&mut self) -> Line {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => self.latest = line,
            Err(_) => {
                let _ = self.child.kill();
                let mut errors = String::new();
                let _ = self.child.stderr.take().map(|mut err| err.read_to_string(&mut errors));
                panic!("the log has ended: {errors}");
            }
        }
        self.latest.clone()
    }

    /// The latest line that has come.
    pub fn line(&mut self) -> Line {
        self.latest = self.lines.try_iter().last().unwrap_or_else(|| self.latest.clone());
        self.latest.clone()
    }

    pub fn wait_for(&mut self, what: &str, is: impl Fn(&Line) -> bool) -> Line {
        let start = Instant::now();
        while !is(&self.latest) {
            assert!(start.elapsed() < DEADLINE, "{what} does not come: {:?}", self.latest);
            self.next_line();
        }
        self.latest.clone()
    }

    pub fn wait_until(&mut self, what: &str, mut is: impl FnMut(&mut Self) -> bool) {
        poll(what, || is(self).then_some(()));
    }

    /// Keys go to the window that has the focus, which the manager gives in its own time.
    pub fn focus(&self) {
        poll("the focus", || {
            self.screen.tool(&["windowactivate", &self.id])?;
            sleep(MOMENT);
            self.screen.tool(&["getwindowfocus"]).filter(|id| *id == self.id)
        });
    }

    /// Press a key, and wait for what it does. Where it does nothing at all it was lost on its way, or came before something else was at its
    /// end, and is pressed again.
    fn press_until(&mut self, key: &str, what: &str, after: impl Fn(&Self), mut is: impl FnMut(&mut Self) -> bool) {
        for press in 1..=3 {
            self.key(key);
            after(self);
            let start = Instant::now();
            while start.elapsed() < LOST {
                if is(self) {
                    return;
                }
            }
            eprintln!("{key} did nothing, {press} times");
            self.focus();
        }
        panic!("{what} does not come: {:?}", self.latest);
    }

    /// Press a key, and wait for what it does to the run.
    pub fn press(&mut self, key: &str, what: &str, is: impl Fn(&Line) -> bool) -> Line {
        self.press_until(key, what, |_| (), |window| is(&window.next_line()));
        self.latest.clone()
    }

    /// Press a key that changes the picture of a paused window, and wait for that.
    pub fn shows(&mut self, key: &str, what: &str) -> Vec<u32> {
        let before = self.settled_shot();
        self.press_until(key, what, |_| (), |window| window.later_shot() != before);
        self.settled_shot()
    }

    fn later_shot(&self) -> Vec<u32> {
        sleep(MOMENT / 2);
        self.shot()
    }

    /// Type a text into the field that has the focus, and Enter.
    pub fn type_line(&self, text: &str) {
        self.mouse(&["type", "--delay", "40", text]);
        self.key("Return");
    }

    pub fn key(&self, key: &str) {
        self.mouse(&["key", key]);
    }

    pub fn mouse(&self, args: &[&str]) {
        // A server that is busy may refuse once.
        let mut tries = (0..3).map(|_| self.screen.tool(args));
        tries.find_map(|done| done).unwrap_or_else(|| panic!("xdotool {args:?} failed"));
        sleep(MOMENT);
    }

    /// Move the mouse off the window, as far as the screen goes: the screen shows it.
    pub fn park(&self) {
        self.mouse(&["mousemove", "9999", "9999"]);
    }

    /// Drag from a place to another, points. Between the press, the way and the end are frames.
    pub fn drag(&self, button: &str, from: (u32, u32), to: (u32, u32)) {
        let [a, b, x, y] = [from.0, from.1, to.0, to.1].map(|points| (points * self.scale).to_string());
        let (go, moment) = (["mousemove", "--window", &self.id], MOMENT.as_secs_f32().to_string());
        let press = [&go[..], &[&a, &b, "mousedown", button, "sleep", &moment]].concat();
        let way = [&go[..], &[&x, &y, "sleep", &moment, "mouseup", button]].concat();
        self.mouse(&[press, way].concat());
    }

    /// Click on a place, points.
    pub fn click(&self, button: &str, (x, y): (u32, u32)) {
        let [x, y] = [x, y].map(|points| (points * self.scale).to_string());
        self.mouse(&["mousemove", "--window", &self.id, &x, &y, "click", button]);
    }

    /// The share of a part of a shot, from one corner to the other, that has the color of the panel.
    pub fn ground(&self, shot: &[u32], from: (usize, usize), to: (usize, usize)) -> f64 {
        let [.., width, _] = self.geometry();
        let rows = shot.chunks_exact(width).take(to.1).skip(from.1);
        let part: Vec<u32> = rows.flat_map(|row| &row[from.0..to.0]).copied().collect();
        let ground = part.iter().filter(|pixel| **pixel & 0xFF_FFFF == 0x16_1616).count();
        ground as f64 / part.len() as f64
    }

    /// Write a file and drop it on the window.
    pub fn drop_file(&self, name: &str, text: impl AsRef<[u8]>) {
        let file = self.screen.folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        self.drag_file(&file, true);
    }

    fn drag_file(&self, file: &Path, lets_go: bool) {
        let target = self.id.parse().expect("a window's number");
        drag::drag(&self.screen.display, target, file, lets_go).expect("a drag");
    }

    /// Take the message away, which nobody waits for until it goes: a file that is dragged over the window and leaves it does.
    pub fn hush(&self) {
        self.drag_file(self.screen.folder.path(), false);
        sleep(MOMENT);
    }

    /// The pixels at rest, without a message.
    pub fn hushed_shot(&self) -> Vec<u32> {
        self.hush();
        self.settled_shot()
    }

    /// Wait for a picture of before, without a message.
    pub fn becomes(&mut self, picture: &[u32], what: &str) {
        self.hush();
        self.wait_until(what, |window| window.shot() == picture);
    }

    /// Does the picture change on and on?
    pub fn moves(&self) -> bool {
        let [a, b, c] = [(); 3].map(|()| {
            sleep(5 * MOMENT);
            self.shot()
        });
        a != b && b != c
    }

    /// X, y, width and height, px.
    pub fn geometry(&self) -> [usize; 4] {
        let text = self.screen.tool(&["getwindowgeometry", "--shell", &self.id]).expect("a geometry");
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.parse().ok()).expect("a number")
        };
        ["X=", "Y=", "WIDTH=", "HEIGHT="].map(value)
    }

    /// The pixels of the window.
    pub fn shot(&self) -> Vec<u32> {
        let [x, y, width, height] = self.geometry();
        let (stride, pixels) = self.screen.pixels();
        let rows = pixels.chunks_exact(stride).skip(y).take(height);
        rows.flat_map(|row| row.iter().skip(x).take(width)).copied().collect()
    }

    /// The pixels of the window when they no longer change.
    pub fn settled_shot(&self) -> Vec<u32> {
        let mut latest = self.shot();
        poll("rest", || {
            sleep(3 * MOMENT);
            let next = self.shot();
            // No longer than that: where a text is edited, its cursor blinks.
            let rests = next == latest;
            latest = next;
            rests.then(|| latest.clone())
        })
    }

    /// Press a key that brings back a picture of before.
    pub fn brings_back(&mut self, key: &str, picture: &[u32], what: &str) {
        let after = |window: &Self| {
            window.park();
            window.hush();
        };
        self.press_until(key, what, after, |window| window.later_shot() == picture);
    }

    /// The pixels of the window when they are others than before, and at rest if paused.
    pub fn changed_shot(&mut self, before: &[u32], what: &str) -> Vec<u32> {
        self.wait_until(what, |window| window.shot() != before);
        if self.line().paused { self.settled_shot() } else { self.shot() }
    }

    /// Does the simulation take more steps?
    pub fn goes_on(&mut self) {
        let step = self.line().step;
        self.wait_for("another step", |line| line.step > step + 1);
    }

    pub fn ten_steps_from_the_start(&mut self) -> String {
        if self.line().step != 0 {
            self.press("r", "the start", |line| line.step == 0);
        }
        self.wait_for("the start", |line| line.step == 0);
        self.ten_steps_from_here()
    }

    pub fn ten_steps_from_here(&mut self) -> String {
        self.press("shift+Right", "ten steps", |line| line.step == 10).digest
    }

    /// Drag in the panel from row to row, where the sliders' rails are, until that changes the run. Returns where.
    pub fn find_slider(&mut self, digest: &str) -> (u32, u32) {
        self.find_slider_in(digest, (470, 480), 180..440)
    }

    /// The same, dragging from one place across to the other in these rows.
    pub fn find_slider_in(&mut self, digest: &str, (from, to): (u32, u32), rows: Range<u32>) -> (u32, u32) {
        for y in rows.step_by(10) {
            self.drag("1", (from, y), (to, y));
            // A field that was hit would take the keys.
            self.key("Escape");
            if self.ten_steps_from_the_start() != digest {
                return (to, y);
            }
        }
        panic!("no slider changes the run");
    }

    /// Ctrl+Q, with nothing to lose.
    pub fn quit(self) {
        self.key("ctrl+q");
        assert!(self.ended().success(), "nothing is lost, and nothing asked");
    }

    /// How the program ended.
    pub fn ended(mut self) -> ExitStatus {
        poll("the end", || self.child.try_wait().expect("a status"))
    }
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
