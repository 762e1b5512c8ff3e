//! Pictures that hold the record of the run that they show, from which the window and `rerun` repeat it.

use std::path::Path;
use steerling::engine::Backend;
use steerling::output::{Device, FileRecord, OutputError, PictureRecord, Record};
use steerling::render::{Caption, View, record_in};
use steerling::scene::Scene;

/// Why a run cannot be repeated from the record in its picture.
pub const CHANGED: &str = "the run was changed while it ran, and pictures do not record changes";

/// Does the file name end in `.png`, in upper or lower case?
pub fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// Read the record of its run from a picture. It is an error if a file that the record names has changed.
pub fn read(path: &Path) -> Result<Record, OutputError> {
    let text = record_in(path).map_err(|error| OutputError::Data { path: path.into(), reason: error.to_string() })?;
    let record = Record::of_picture(path, &text)?;
    record.check_files()?;
    Ok(record)
}

/// Set the view to the camera of a picture.
pub fn see(view: &mut View, picture: &PictureRecord) {
    let PictureRecord { center, zoom, yaw, pitch, crowd, .. } = *picture;
    (view.center, view.zoom) = (center.into(), zoom.clamp(0.05, 10_000.0));
    (view.yaw, view.pitch) = (yaw, pitch.clamp(-89.0, 89.0));
    view.followed_radius = crowd.filter(|radius| *radius > 0.0);
}

/// The record of a run that its pictures will hold.
pub fn record_of(scene: &Scene, place: &Backend, from: Option<FileRecord>) -> Result<Record, OutputError> {
    Record::of_pictures(scene, Device::of(place), from)
}

/// What a picture holds about itself. `run` is the record of the run's start, if it has one, and whether somebody changed the run since.
pub fn caption(scene: &Scene, run: Option<(Record, bool)>, view: &View, step: u64, digest: String) -> Caption {
    let record = run.and_then(|(record, changed)| {
        let View { center, zoom, yaw, pitch, followed_radius: crowd, .. } = *view;
        let picture = Some(PictureRecord { center: center.to_array(), zoom, yaw, pitch, crowd, changed });
        serde_json::to_string(&Record { steps: step, digest, picture, ..record }).ok()
    });
    Caption { scene: scene.name.clone(), seed: scene.seed, step, record }
}
