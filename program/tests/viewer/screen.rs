//! A virtual screen.

use super::window::{Line, Window};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longest wait for anything. Software adapters on busy machines are slow.
pub const DEADLINE: Duration = Duration::from_secs(120);
/// After so long without any effect a key press was lost: the window logs each action at once, and a line each second.
pub const LOST: Duration = Duration::from_secs(20);
/// Long enough for a frame on most machines; where it is not, what was tried is tried again.
pub const MOMENT: Duration = Duration::from_millis(120);

/// A virtual screen with a window manager, and an empty folder to work in.
pub struct Screen {
    pub folder: tempfile::TempDir,
    pub display: String,
    server: Child,
    manager: Child,
    /// Two screens at a time, which mostly wait: more windows on a machine with few cores are late for everything.
    _turn: MutexGuard<'static, ()>,
}

impl Screen {
    /// A screen for most windows.
    pub fn start() -> Screen {
        Screen::of("800x600")
    }

    /// A screen of this size that stands. Where none comes at once, the second try says so.
    pub fn of(size: &str) -> Screen {
        Screen::attempt(size).unwrap_or_else(|first| {
            eprintln!("a second try, because of the first: {first}");
            Screen::attempt(size).unwrap_or_else(|second| panic!("no screen; first {first}; then {second}"))
        })
    }

    /// Start the server, and when it answers the window manager; else what they said.
    pub fn attempt(size: &str) -> Result<Screen, String> {
        static TURNS: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
        // Numbers of our own: servers that look for a free one find the same.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let number = 1000 + (std::process::id() % 5000) * 10 + next % 10;
        let turn = loop {
            let free = TURNS.iter().find_map(|turn| match turn.try_lock() {
                Err(TryLockError::WouldBlock) => None,
                Err(TryLockError::Poisoned(left)) => Some(left.into_inner()),
                Ok(turn) => Some(turn),
            });
            match free {
                Some(turn) => break turn,
                None => sleep(MOMENT),
            }
        };
        let folder = tempfile::tempdir().expect("a folder");
        let said = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let log = |name: &str| Stdio::from(std::fs::File::create(folder.path().join(name)).expect("a file"));
        let screen = folder.path().join("screen");
        std::fs::create_dir(&screen).expect("a folder");
        let display = format!(":{number}");
        let mut server = Command::new("Xvfb");
        server.arg(&display).args(["-screen", "0", &format!("{size}x24"), "-nolisten", "tcp", "-fbdir"]).arg(&screen);
        let mut server = start(server.stdout(Stdio::null()).stderr(log("server")));
        let up = attempt("the server", || match server.try_wait().expect("a status") {
            Some(status) => Some(Err(format!("the server ended: {status}"))),
            None => tool(&display, &["getdisplaygeometry"]).map(Ok),
        });
        if let Err(why) = up.and_then(|up| up.map(drop)) {
            let _ = (server.kill(), server.wait());
            return Err(format!("{display}: {why}; Xvfb said: {}", said("server")));
        }
        let manage = || {
            let mut manager = Command::new("openbox");
            manager.arg("--sm-disable").env("DISPLAY", &display).env("HOME", folder.path());
            start(manager.stdout(Stdio::null()).stderr(log("manager")))
        };
        let mut manager = manage();
        let up = attempt("the window manager", || {
            if manager.try_wait().expect("a status").is_some() {
                manager = manage();
            }
            tool(&display, &["get_num_desktops"])
        });
        if let Err(why) = up {
            let _ = (manager.kill(), manager.wait(), server.kill(), server.wait());
            return Err(format!("{display}: {why}; Xvfb said: {}; openbox said: {}", said("server"), said("manager")));
        }
        Ok(Screen { folder, display, server, manager, _turn: turn })
    }

    /// Run xdotool; none where it failed.
    pub fn tool(&self, args: &[&str]) -> Option<String> {
        tool(&self.display, args)
    }

    /// Open a window on a scene, and wait until it runs.
    pub fn open(&self, args: &[&str]) -> Window<'_> {
        self.open_as(args, "", (640, 480), 1)
    }

    /// The same with an injected fault, of another size, px, and with so many pixels to a point.
    pub fn open_as(&self, args: &[&str], fault: &str, (width, height): (u32, u32), scale: u32) -> Window<'_> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steerling"));
        command.env("STEERLING_FAULT", fault).env("WINIT_X11_SCALE_FACTOR", scale.to_string());
        command.arg("view").args(args).args(["--size", &format!("{width}x{height}"), "--log-digest"]);
        command.current_dir(self.folder.path());
        command.env("DISPLAY", &self.display).env_remove("WAYLAND_DISPLAY").env_remove("WAYLAND_SOCKET");
        // It was here before, so that no hints lie over the picture.
        let config = self.folder.path().join("config");
        std::fs::create_dir_all(config.join("steerling")).expect("a folder");
        std::fs::write(config.join("steerling/recent-scenes"), "").expect("a file");
        command.env("XDG_CONFIG_HOME", config);
        let mut child = start(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
        let (sender, lines) = channel();
        let out = child.stdout.take().expect("its output");
        std::thread::spawn(move || {
            let all = BufReader::new(out).lines().map_while(Result::ok);
            all.map(|line| Line::parse(&line)).try_for_each(|line| sender.send(line))
        });
        let title = format!("^Steerling - {}$", args[0].trim_end_matches(".toml").trim_end_matches(".png"));
        let id = poll("the window", || self.tool(&["search", "--onlyvisible", "--name", &title]));
        let mut window = Window { screen: self, child, lines, latest: Line::default(), id, scale };
        window.next_line();
        window.focus();
        window
    }

    /// Width, height and pixels of the whole screen, which the server keeps in a file of the form XWD.
    pub fn pixels(&self) -> (usize, Vec<u32>) {
        let file = std::fs::read(self.folder.path().join("screen/Xvfb_screen0")).expect("the screen's file");
        let word = |index: usize| {
            let bytes = file[4 * index..][..4].try_into().expect("four bytes");
            u32::from_be_bytes(bytes) as usize
        };
        assert_eq!(word(11), 32, "bits per pixel");
        let start = word(0) + 12 * word(19);
        let pixels = file[start..].chunks_exact(4).map(|pixel| u32::from_le_bytes([pixel[0], pixel[1], pixel[2], 0]));
        (word(12) / 4, pixels.collect())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        for child in [&mut self.manager, &mut self.server] {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
pub fn start(command: &mut Command) -> Child {
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().unwrap_or_else(|error| panic!("{name}: {error}; scripts/setup --test installs it"))
}

/// Run xdotool on a display; none where it failed.
pub fn tool(display: &str, args: &[&str]) -> Option<String> {
    let mut tool = Command::new("xdotool");
    tool.args(args).env("DISPLAY", display).stdout(Stdio::piped()).stderr(Stdio::null());
    let output = start(&mut tool).wait_with_output().expect("xdotool");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Try until it comes.
pub fn poll<T>(what: &str, come: impl FnMut() -> Option<T>) -> T {
    attempt(what, come).unwrap_or_else(|why| panic!("{why}"))
}

/// Try until it comes, or say that it does not.
pub fn attempt<T>(what: &str, mut come: impl FnMut() -> Option<T>) -> Result<T, String> {
    let start = Instant::now();
    while start.elapsed() < DEADLINE {
        if let Some(value) = come() {
            return Ok(value);
        }
        sleep(Duration::from_millis(30));
    }
    Err(format!("{what} does not come"))
}
