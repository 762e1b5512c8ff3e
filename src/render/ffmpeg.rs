//! Runs the program ffmpeg, which reads raw frames from its standard input.

use crate::files::Part;
use crate::lock::lock;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Interval at which this program checks whether ffmpeg has ended.
const LOOK: Duration = Duration::from_millis(20);
/// The most bytes of ffmpeg's error output that are kept, the last ones.
const LAST_WORDS: usize = 2000;

/// Convert colors by BT.709, with the curve of sRGB, and tag the film so. By default ffmpeg converts by BT.601 and tags nothing, and
/// players may take that for BT.709.
const COLORS: &str = "-vf scale=out_color_matrix=bt709:out_range=tv -color_range tv -colorspace bt709 -color_primaries bt709 \
                      -color_trc iec61966-2-1";

/// A running ffmpeg. Dropping this kills it.
pub struct Ffmpeg {
    child: Arc<Mutex<Child>>,
    frames: Option<ChildStdin>,
    words: Arc<Mutex<Vec<u8>>>,
    listener: thread::JoinHandle<()>,
    part: Option<Part>,
}

impl Ffmpeg {
    /// Start ffmpeg, which writes a film in this container into the file of `part`.
    pub fn start(part: Part, container: &str, (width, height): (u32, u32), fps: f64) -> io::Result<Ffmpeg> {
        let codec: &[&str] = match container {
            "mp4" => &["-c:v", "libx264", "-crf", "18", "-movflags", "+faststart"],
            _ => &["-c:v", "libvpx-vp9", "-crf", "30", "-b:v", "0"],
        };
        let mut command = Command::new("ffmpeg");
        command.args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba"]);
        command.args(["-s", &format!("{width}x{height}"), "-r", &fps.to_string(), "-i", "-"]);
        command.args(COLORS.split(' '));
        command.args(codec).args(["-pix_fmt", "yuv420p", "-f", container]).arg(part.path());
        // A process group of its own, so that Ctrl-C reaches only this program, which then ends the film, ffmpeg, and all that ffmpeg
        // started.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let (frames, errors) = (child.stdin.take(), child.stderr.take());
        let words = Arc::default();
        let heard = Arc::clone(&words);
        // Its stderr must be read: ffmpeg stops reading frames while that pipe is full.
        let listener = thread::spawn(move || listen(errors, &heard));
        Ok(Ffmpeg { child: Arc::new(Mutex::new(child)), frames, words, listener, part: Some(part) })
    }

    /// Send ffmpeg one frame.
    pub fn push(&mut self, frame: &[u8]) -> Result<(), String> {
        match self.frames.as_mut().map(|pipe| pipe.write_all(frame)) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.end().map_or_else(|error| error.to_string(), |status| self.failure(status))),
        }
    }

    /// Wait until the film is complete, and return its file.
    pub fn finish(mut self) -> Result<Part, String> {
        let status = self.end().map_err(|error| error.to_string())?;
        let part = self.part.take().filter(|_| status.success()).ok_or_else(|| self.failure(status))?;
        match std::fs::metadata(part.path()).is_ok_and(|about| about.len() > 0) {
            true => Ok(part),
            false => Err(self.failure(status)),
        }
    }

    /// Kill ffmpeg as soon as `tired` returns true.
    pub fn end_when(&self, tired: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
        let child = Arc::downgrade(&self.child);
        let watch = move || {
            while let Some(child) = child.upgrade() {
                if tired() {
                    let _ = kill(&mut lock(&child));
                    return;
                }
                drop(child);
                thread::sleep(LOOK);
            }
        };
        thread::Builder::new().spawn(watch).map(drop)
    }

    /// Close ffmpeg's input, and wait until it ends.
    fn end(&mut self) -> io::Result<ExitStatus> {
        drop(self.frames.take());
        loop {
            // Not a blocking wait: another thread may have to kill ffmpeg meanwhile.
            if let Some(status) = lock(&self.child).try_wait()? {
                return Ok(status);
            }
            thread::sleep(LOOK);
        }
    }

    /// How ffmpeg ended, and its error output, which at `-loglevel error` has only errors.
    fn failure(&self, status: ExitStatus) -> String {
        // Wait for the rest of the error output, but not forever: programs that ffmpeg started may keep its stderr open.
        for _ in 0..10 {
            if !self.listener.is_finished() {
                thread::sleep(LOOK);
            }
        }
        let how = if status.success() { "wrote nothing".to_owned() } else { format!("failed ({status})") };
        match String::from_utf8_lossy(&lock(&self.words)).trim() {
            "" => format!("ffmpeg {how}, and said nothing"),
            words => format!("ffmpeg {how}: {words}"),
        }
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        drop(self.frames.take());
        let mut child = lock(&self.child);
        let _ = kill(&mut child).and_then(|()| child.wait());
    }
}

/// Kill ffmpeg and the programs that it started: a full pipe may be waiting for one of those.
fn kill(child: &mut Child) -> io::Result<()> {
    // If ffmpeg was waited for, its process id is free, and another process may have it.
    #[cfg(unix)]
    if child.try_wait()?.is_none() {
        let _ =
            rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
    }
    child.kill()
}

/// Read ffmpeg's error output, and keep the end of it.
fn listen(errors: Option<ChildStderr>, words: &Mutex<Vec<u8>>) {
    let Some(mut errors) = errors else { return };
    let mut bytes = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut bytes) {
        let mut words = lock(words);
        words.extend_from_slice(&bytes[..count]);
        let surplus = words.len().saturating_sub(LAST_WORDS);
        words.drain(..surplus);
    }
}
