//! Pictures that say which run they show, so that the window and `rerun` make it again.

use std::path::Path;
use steerling::engine::Backend;
use steerling::output::{Device, FileRecord, OutputError, PictureRecord, Record};
use steerling::render::{Caption, View, record_in};
use steerling::scene::Scene;

/// Why the run of a picture does not follow from its record.
pub const CHANGED: &str = "somebody changed the run on its way, which pictures do not record";

/// Is it called as a picture?
pub fn is_picture(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"))
}

/// What a picture says of its run; the files that it names must be unchanged.
pub fn read(path: &Path) -> Result<Record, OutputError> {
    let text = record_in(path).map_err(|error| OutputError::Data { path: path.into(), reason: error.to_string() })?;
    let record = Record::of_picture(path, &text)?;
    record.check_files()?;
    Ok(record)
}

/// See a scene as a picture does.
pub fn see(view: &mut View, picture: &PictureRecord) {
    let PictureRecord { center, zoom, yaw, pitch, crowd, .. } = *picture;
    (view.center, view.zoom) = (center.into(), zoom.clamp(0.05, 10_000.0));
    (view.yaw, view.pitch) = (yaw, pitch.clamp(-89.0, 89.0));
    view.followed_radius = crowd.filter(|radius| *radius > 0.0);
}

/// What pictures of a run will say of it.
pub fn record_of(scene: &Scene, place: &Backend, from: Option<FileRecord>) -> Result<Record, OutputError> {
    Record::of_pictures(scene, Device::of(place), from)
}

/// What a picture says about itself. `run` is how the run began, where that can be told, and whether it was changed since.
pub fn caption(scene: &Scene, run: Option<(Record, bool)>, view: &View, step: u64, digest: String) -> Caption {
    let record = run.and_then(|(record, changed)| {
        let View { center, zoom, yaw, pitch, followed_radius: crowd, .. } = *view;
        let picture = Some(PictureRecord { center: center.to_array(), zoom, yaw, pitch, crowd, changed });
        serde_json::to_string(&Record { steps: step, digest, picture, ..record }).ok()
    });
    Caption { scene: scene.name.clone(), seed: scene.seed, step, record }
}
