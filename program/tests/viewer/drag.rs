//! A file that is dragged from a file manager: the source's side of XDND 5 (https://www.freedesktop.org/wiki/Specifications/XDND/).

use std::error::Error;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    Atom, ClientMessageEvent, ConnectionExt, CreateWindowAux, EventMask, PropMode, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Longest wait for an answer of the target.
const DEADLINE: Duration = Duration::from_secs(60);
/// The version of the protocol.
const VERSION: u32 = 5;

/// Drag a file over a window, and let it go there or leave again. Returns when the window says that it has finished.
pub fn drag(display: &str, target: Window, file: &Path, lets_go: bool) -> Result<(), Box<dyn Error>> {
    let (connection, screen) = x11rb::connect(Some(display))?;
    let root = connection.setup().roots[screen].root;
    let source = connection.generate_id()?;
    let none = CreateWindowAux::new();
    connection.create_window(0, source, root, 0, 0, 1, 1, 0, WindowClass::INPUT_ONLY, 0, &none)?;
    let drag = Drag { connection, source, target };
    let [enter, position, leave, dropped, copy] =
        ["XdndEnter", "XdndPosition", "XdndLeave", "XdndDrop", "XdndActionCopy"].map(|name| drag.atom(name));
    let (selection, list) = (drag.atom("XdndSelection")?, drag.atom("text/uri-list")?);
    drag.connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME)?;

    let at = drag.connection.translate_coordinates(target, root, 40, 40)?.reply()?;
    let at = u32::from(at.dst_x as u16) << 16 | u32::from(at.dst_y as u16);
    drag.send(enter?, [VERSION << 24, list, 0, 0])?;
    drag.send(position?, [0, at, x11rb::CURRENT_TIME, copy?])?;
    // Who lets go before the target knows what comes drops nothing.
    let url = format!("file://{}\r\n", file.display());
    let (mut accepted, mut told) = (false, false);
    while !(accepted && told) {
        match drag.next()? {
            Event::ClientMessage(said) if said.type_ == drag.atom("XdndStatus")? => {
                accepted = said.data.as_data32()[1] & 1 == 1;
                if !accepted {
                    return Err("the window takes no files".into());
                }
            }
            Event::SelectionRequest(asked) => {
                let data = url.as_bytes();
                drag.connection.change_property8(PropMode::REPLACE, asked.requestor, asked.property, list, data)?;
                let answer = SelectionNotifyEvent {
                    response_type: SELECTION_NOTIFY_EVENT,
                    sequence: 0,
                    time: asked.time,
                    requestor: asked.requestor,
                    selection,
                    target: list,
                    property: asked.property,
                };
                drag.connection.send_event(false, asked.requestor, EventMask::NO_EVENT, answer)?;
                told = true;
            }
            _ => {}
        }
    }
    if !lets_go {
        drag.send(leave?, [0; 4])?;
        // It is on its way before the connection ends.
        return Ok(drag.connection.sync()?);
    }
    drag.send(dropped?, [0, x11rb::CURRENT_TIME, 0, 0])?;
    let finished = drag.atom("XdndFinished")?;
    while !matches!(drag.next()?, Event::ClientMessage(said) if said.type_ == finished) {}
    Ok(())
}

struct Drag {
    connection: RustConnection,
    source: Window,
    target: Window,
}

impl Drag {
    fn atom(&self, name: &str) -> Result<Atom, Box<dyn Error>> {
        Ok(self.connection.intern_atom(false, name.as_bytes())?.reply()?.atom)
    }

    /// Tell the target something. The first of five words is always the source.
    fn send(&self, what: Atom, [a, b, c, d]: [u32; 4]) -> Result<(), Box<dyn Error>> {
        let message = ClientMessageEvent::new(32, self.target, what, [self.source, a, b, c, d]);
        self.connection.send_event(false, self.target, EventMask::NO_EVENT, message)?;
        self.connection.flush()?;
        Ok(())
    }

    /// What the server or the target says next.
    fn next(&self) -> Result<Event, Box<dyn Error>> {
        self.connection.flush()?;
        let start = Instant::now();
        while start.elapsed() < DEADLINE {
            if let Some(event) = self.connection.poll_for_event()? {
                return Ok(event);
            }
            sleep(Duration::from_millis(10));
        }
        Err("the window does not answer".into())
    }
}
