//! Connects the toolkit of the user interface, egui, to the window's events and to its surface.

use super::dialogs::Wish;
use std::time::{Duration, Instant};
use steerling::gpu::Gpu;
use winit::event::WindowEvent;
use winit::window::Window;

/// The gray of panels, sRGB. Panels are transparent and the target is cleared with it, which saves filling them where the CPU draws.
const GROUND: u8 = 22;

/// The color of warnings, keys, the present step, and values that differ from the scene's.
pub const ACCENT: egui::Color32 = egui::Color32::from_rgb(255, 190, 90);

/// How long the pointer must rest before a [`Hint::late_hint`] is shown, s.
const REST: f32 = 1.0;

/// Buttons that ask for something.
pub trait Asks {
    /// Add the wish if the button was clicked.
    fn asks_for(&self, wishes: &mut Vec<Wish>, wish: Wish);
}

impl Asks for egui::Response {
    fn asks_for(&self, wishes: &mut Vec<Wish>, wish: Wish) {
        if self.clicked() {
            wishes.push(wish);
        }
    }
}

/// Hints of widgets below dialogs, hidden while a dialog is open: the toolkit would keep a hint that is shown when a key opens a dialog.
pub trait Hint {
    /// Show this text while the pointer rests on the widget, also if that is disabled.
    fn hint(self, text: impl Into<egui::WidgetText>) -> Self;
    /// As [`Hint::hint`], but after a longer rest, and after a use of the widget only once the pointer has left it. The text is also the
    /// widget's name for screen readers.
    fn late_hint(self, text: impl Into<egui::WidgetText>) -> Self;
}

impl Hint for egui::Response {
    fn hint(self, text: impl Into<egui::WidgetText>) -> Self {
        if self.ctx.memory(|memory| memory.top_modal_layer().is_some()) {
            return self;
        }
        let text = text.into();
        if self.enabled() { self.on_hover_text(text) } else { self.on_disabled_hover_text(text) }
    }

    fn late_hint(self, text: impl Into<egui::WidgetText>) -> Self {
        let text = text.into();
        let this = self.accessible_name(text.text());
        let used = this.id.with("used");
        let (inside, down) = (this.contains_pointer(), this.ctx.input(|input| input.pointer.any_down()));
        if inside && down {
            this.ctx.data_mut(|data| data.insert_temp(used, true));
        } else if !inside && !down {
            this.ctx.data_mut(|data| data.remove::<bool>(used));
        }
        if !inside || this.ctx.data(|data| data.get_temp(used)).unwrap_or(false) {
            return this;
        }
        let wait = REST - this.ctx.input(|input| input.pointer.time_since_last_movement());
        if wait > 0.0 && !this.is_tooltip_open() {
            this.ctx.request_repaint_after(Duration::from_secs_f32(wait));
            return this;
        }
        this.hint(text)
    }
}

/// Fields for text.
pub trait Field {
    /// Was Enter pressed in the field?
    fn entered(&self) -> bool;
}

impl Field for egui::Response {
    fn entered(&self) -> bool {
        self.lost_focus() && self.ctx.input(|input| input.key_pressed(egui::Key::Enter))
    }
}

/// The toolkit's state.
pub struct Gui {
    context: egui::Context,
    input: egui_winit::State,
    renderer: egui_wgpu::Renderer,
    /// When to paint again, because something changes on its own, such as the text cursor.
    pub repaint_at: Option<Instant>,
}

/// What is to be painted. It must be passed to [`Gui::paint`], because it has changes of textures that would be lost.
pub struct Painting {
    shapes: Vec<egui::ClippedPrimitive>,
    textures: egui::TexturesDelta,
    pixels_per_point: f32,
}

impl Gui {
    /// A user interface for this window.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, window: &Window) -> Gui {
        let context = egui::Context::default();
        context.set_theme(egui::Theme::Dark);
        context.all_styles_mut(|style| {
            // No animations: rows and values do not move.
            style.animation_time = 0.0;
            // Hints must fit into the narrowest window.
            style.spacing.tooltip_width = 340.0;
            style.drag_value_text_style = egui::TextStyle::Monospace;
            for (name, size) in [(egui::TextStyle::Small, 11.5), (egui::TextStyle::Monospace, 12.0)] {
                style.text_styles.entry(name).and_modify(|font| font.size = size);
            }
            style.visuals.weak_text_color = Some(egui::Color32::from_gray(165));
            style.visuals.panel_fill = egui::Color32::TRANSPARENT;
            style.visuals.window_fill = egui::Color32::from_gray(14);
            style.visuals.override_text_color = Some(egui::Color32::from_gray(215));
        });
        let side = gpu.device.limits().max_texture_dimension_2d as usize;
        let scale = Some(window.scale_factor() as f32);
        let input =
            egui_winit::State::new(context.clone(), egui::ViewportId::ROOT, window, scale, window.theme(), Some(side));
        // Colors are flat, and dithering is slow on a driver that computes on the CPU.
        let options = egui_wgpu::RendererOptions { dithering: false, ..Default::default() };
        let renderer = egui_wgpu::Renderer::new(&gpu.device, format, options);
        Gui { context, input, renderer, repaint_at: None }
    }

    /// The color with which a target of this format has to be cleared.
    pub fn ground(format: wgpu::TextureFormat) -> wgpu::Color {
        let level = egui::Color32::from_gray(GROUND);
        let level = f64::from(if format.is_srgb() { egui::Rgba::from(level).r() } else { f32::from(GROUND) / 255.0 });
        wgpu::Color { r: level, g: level, b: level, a: 1.0 }
    }

    /// Take in an event.
    pub fn event(&mut self, window: &Window, event: &WindowEvent) {
        if self.input.on_window_event(window, event).repaint {
            self.repaint_at = Some(Instant::now());
        }
    }

    /// Pixels per point.
    pub fn scale(&self) -> f32 {
        self.context.pixels_per_point()
    }

    /// Is text being typed? A button or slider that has the focus does not count: it takes no keys from the window.
    pub fn typing(&self) -> bool {
        self.context.text_edit_focused()
    }

    /// Is text being typed, or a list open, which Esc leaves?
    pub fn is_open(&self) -> bool {
        self.typing() || egui::Popup::is_any_open(&self.context)
    }

    /// Copy a text to the clipboard.
    pub fn copy(&self, text: String) {
        self.context.copy_text(text);
    }

    /// Is a mouse button down, so that a slider may be held?
    pub fn held(&self) -> bool {
        self.context.input(|input| input.pointer.any_down())
    }

    /// Does the user interface have the mouse, which is at this place of the window, px? True if it is outside of the picture, which has
    /// the given size, or over something on the picture, or dragging that.
    pub fn has_pointer(&self, (x, y): (f32, f32), (width, height): (u32, u32)) -> bool {
        let outside = x >= width as f32 || y >= height as f32;
        let point = egui::pos2(x, y) / self.context.pixels_per_point();
        let above = || self.context.layer_id_at(point).is_some_and(|layer| layer.order != egui::Order::Background);
        outside || self.context.egui_is_using_pointer() || above()
    }

    /// Lay the user interface out.
    pub fn run(&mut self, window: &Window, show: impl FnMut(&mut egui::Ui)) -> Painting {
        let output = self.context.run_ui(self.input.take_egui_input(window), show);
        self.input.handle_platform_output(window, output.platform_output);
        let delay = output.viewport_output.get(&egui::ViewportId::ROOT).map(|viewport| viewport.repaint_delay);
        // egui says "never" by a delay too long to be added to an Instant.
        self.repaint_at = delay.filter(|d| *d < Duration::from_secs(3600)).map(|delay| Instant::now() + delay);
        Painting {
            shapes: self.context.tessellate(output.shapes, output.pixels_per_point),
            textures: output.textures_delta,
            pixels_per_point: output.pixels_per_point,
        }
    }

    /// Paint over the target's contents. Returns commands that have to be submitted before those of the encoder.
    pub fn paint(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        (width, height): (u32, u32),
        painting: Painting,
    ) -> Vec<wgpu::CommandBuffer> {
        let Painting { shapes, mut textures, pixels_per_point } = painting;
        let screen = egui_wgpu::ScreenDescriptor { size_in_pixels: [width, height], pixels_per_point };
        for (id, deltas) in &textures.set {
            deltas.iter().for_each(|delta| self.renderer.update_texture(&gpu.device, &gpu.queue, *id, delta));
        }
        let before = self.renderer.update_buffers(&gpu.device, &gpu.queue, encoder, &shapes, &screen);
        let attachment = wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: wgpu::LoadOp::Load, store: wgpu::StoreOp::Store },
        };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("user interface"),
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        self.renderer.render(&mut pass.forget_lifetime(), &shapes, &screen);
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
        textures.clear();
        before
    }
}
