//! Restoring: the run that a picture shows, with its scene, camera and step; and unsaved changes that an earlier window left. Also saving
//! pictures, which say what to restore.

use super::ViewerError;
use super::building::can_be_kept;
use super::cards::THUMBNAIL;
use super::commands;
use super::dialogs::Dialog;
use super::format::grouped;
use super::gallery::{NEW_SCENE, UNTITLED, file_of};
use super::session::{Answer, Session, names};
use super::snapshot::{picture_of, save_picture, save_thumbnail};
use super::stage::{Opening, Stage};
use super::unsaved::Leftover;
use crate::pictures::{self, CHANGED};
use std::path::Path;
use steerling::engine::Backend;
use steerling::gpu::{GpuError, Options};
use steerling::output::Record;
use steerling::render::{Caption, View};
use steerling::scene::{Draft, Scene};

impl Stage {
    /// Write unsaved changes to the window's own file, if that is due.
    pub fn keep_unsaved(&mut self) {
        if !self.unsaved.due() {
            return;
        }
        if !self.is_unsaved() {
            return self.unsaved.clear();
        }
        self.write_unsaved();
    }

    /// Write unsaved changes to the window's own file now. Returns whether they are kept.
    pub fn write_unsaved(&mut self) -> bool {
        self.as_seen().is_ok_and(|scene| self.unsaved.keep(&scene))
    }

    /// Would closing the window lose anything: changes, a look that the scene's file does not have, or a scene whose file is missing?
    pub fn is_unsaved(&self) -> bool {
        self.session.tuned() || self.edited.is_gone() || self.edited.looks_otherwise(self.session.scene())
    }

    /// Keep a small picture of the scene as it is seen now, for its file's card in the gallery. A failure is only logged.
    pub fn keep_picture(&self) {
        let file = file_of(self.session.scene()).filter(|file| !pictures::is_picture(Path::new(file)));
        let Some(path) = file.and_then(|file| self.interface.remembered.picture(file)) else { return };
        let saved = match picture_of(&self.session, &self.eye.view, THUMBNAIL) {
            Ok(image) => save_thumbnail(&image, &path).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(why) = saved {
            tracing::debug!("no picture of the scene is kept: {why}");
        }
    }

    /// Apply the unsaved changes that an earlier window left to the scene, which is open now. From now on this window keeps them.
    pub fn take_changes(&mut self, scene: Scene, left: &Leftover) -> Result<(), ViewerError> {
        let now = self.session.scene();
        let tuned = Draft { source: now.source.clone(), mouse: now.mouse, ..scene.draft() };
        // With the same species they become changes of the open text, so that the panel marks them and each can be reset.
        let answer = match names(&tuned) == names(now) && can_be_kept(&tuned).is_ok() {
            true => self.tune(tuned, false)?,
            false => self.rewrite(&scene)?,
        };
        if let Answer::Refused(why) = answer {
            let what = "Your changes cannot be restored".to_owned();
            let why = format!("{why}\nThey are in {}", left.path.display());
            self.interface.dialog = Some(Dialog::Problem { what, why, back: None });
            return Ok(());
        }
        if self.unsaved.keep(&scene) {
            left.forget();
        }
        self.interface.say("The changes are restored, but not saved yet. Undo goes back to the saved scene");
        Ok(())
    }

    /// Open the scene of a window that did not close in order, with its unsaved changes.
    pub fn go_on_with_changes(&mut self) {
        let Some(Dialog::Left(left)) = self.interface.dialog.take() else { return };
        match left.scene() {
            Ok(scene) => {
                // If its file is missing, open a new scene instead: the changes then differ from it, and are kept until they are saved.
                let is_new = scene.source.origin == UNTITLED || commands::read(&left.origin).is_err();
                let name = if is_new { NEW_SCENE.to_owned() } else { left.origin.clone() };
                let changed = Some(Box::new((scene, left)));
                self.opening = Some(Opening { name, from: None, announced: false, changed });
            }
            Err(why) => {
                let what = "Your changes cannot be restored".to_owned();
                self.interface.dialog = Some(Dialog::Problem { what, why, back: None });
            }
        }
    }

    /// After opening the scene of a picture, set the camera as in the picture, and go to its step.
    pub fn restore(&mut self, record: Record) -> Result<(), ViewerError> {
        if let Some(picture) = &record.picture {
            pictures::see(&mut self.eye.view, picture);
            self.eye.gaze.touch();
        }
        if record.from.is_some() || record.picture.is_some_and(|picture| picture.changed) {
            let why = if record.from.is_some() { "the run began with a file of agents" } else { CHANGED };
            self.interface.say(format!("The scene of the picture, from its start: {why}"));
            return Ok(());
        }
        self.interface.say(format!("On the way to step {}, which the picture shows", grouped(record.steps)));
        self.session.go_to(record.steps)?;
        self.session.set_marks(record.marks.clone());
        self.restored = Some(record);
        Ok(())
    }

    /// Save the present picture as a PNG of this size, px.
    pub fn photograph(&mut self, size: (u32, u32)) -> Result<(), GpuError> {
        let image = match picture_of(&self.session, &self.eye.view, size) {
            // A large picture may need more memory than the device has.
            Err(error @ GpuError::Picture { .. }) => {
                self.interface.say(error.to_string());
                return Ok(());
            }
            image => image?,
        };
        let mut caption = caption(&mut self.session, &self.eye.view, &self.options.simulation)?;
        if self.unsaved.painted(&self.session.began_with().0) {
            caption.record = None;
        }
        let without = if caption.record.is_some() { "" } else { ", which does not record its run" };
        self.interface.say(match save_picture(&image, &caption) {
            Ok(path) => format!("Saved {}, {} by {} px{without}", path.display(), size.0, size.1),
            Err(why) => why.to_string(),
        });
        Ok(())
    }

    /// Once the run has reached the step of the restored picture, tell the user whether the digest is the same.
    pub fn compare_with_picture(&mut self) {
        let Some(record) = self.restored.take_if(|_| self.session.goal().is_none()) else { return };
        let now = self.session.figures().observed.as_ref().filter(|(step, _)| *step == record.steps);
        let Some((step, seen)) = now else { return };
        let step = grouped(*step);
        let (version, adapter) = (record.version, record.device.adapter);
        self.interface.say(match seen.digest_hex() == record.digest {
            true => format!("Step {step} of the run in the picture, the same to the bit"),
            false => format!(
                "Step {step}, but the digest differs from that of the picture, which version {version} made on {adapter}"
            ),
        });
    }
}

/// The caption of a picture taken now: its scene, step, and if known the record of its run. `options` are those of the simulation.
pub fn caption(session: &mut Session, view: &View, options: &Options) -> Result<Caption, GpuError> {
    session.observe()?;
    let (simulation, (scene, changed)) = (session.simulation(), session.began_with());
    let place = Backend::Gpu(Box::new(simulation.gpu().clone()), Box::new(options.clone()));
    // After a step that was cut off there is no digest to compare with, so no record.
    let digest = session.figures().observed.as_ref().map(|(_, seen)| seen.digest_hex());
    let record = pictures::record_of(&scene, &place, None).ok().filter(|_| digest.is_some());
    let marks = session.past().marks.clone();
    let run = record.map(|record| (Record { marks, ..record }, changed));
    Ok(pictures::caption(&scene, run, view, session.steps(), digest.unwrap_or_default()))
}
