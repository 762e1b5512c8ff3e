//! Divergence-free noise: the curl of a smooth random potential.

use super::grid::{Lattice, hash, with_peak};

/// The curl of a potential of gradient noise with cells of about `wavelength`, scaled so that its peak is `speed`.
///
/// The curl is taken by central differences between the nodes of the grid itself, so the central differences of the
/// field cancel to rounding: what the grid holds is divergence-free, not only the formula behind it.
pub fn field(lattice: &Lattice, speed: f64, wavelength: f64, seed: u32) -> Vec<[f32; 3]> {
    let spatial = lattice.nodes[2] > 1;
    let noise = Noise::new(lattice, wavelength, seed, spatial);
    let potential = Potential::sample(lattice, &noise, spatial);
    let [nx, ny, nz] = lattice.nodes.map(|n| n as usize);
    let step = [lattice.spacing(0), lattice.spacing(1), lattice.spacing(2)];

    let mut vectors = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                // Derivative of one component of the potential along one axis.
                let d = |component: usize, axis: usize| {
                    let mut ahead = [x + 1, y + 1, z + potential.rim_z];
                    let mut behind = ahead;
                    ahead[axis] += 1;
                    behind[axis] -= 1;
                    (potential.at(component, ahead) - potential.at(component, behind)) / (2.0 * step[axis])
                };
                vectors.push(match spatial {
                    true => [d(2, 1) - d(1, 2), d(0, 2) - d(2, 0), d(1, 0) - d(0, 1)],
                    false => [d(0, 1), -d(0, 0), 0.0],
                });
            }
        }
    }
    with_peak(&vectors, speed)
}

/// The potential at the nodes and at one more node beyond each end: three components in a spatial world, else one.
struct Potential {
    components: Vec<Vec<f64>>,
    stride: [usize; 2],
    /// Nodes beyond each end along z: none in a planar world.
    rim_z: usize,
}

impl Potential {
    fn sample(lattice: &Lattice, noise: &Noise, spatial: bool) -> Self {
        let [nx, ny, nz] = lattice.nodes.map(i64::from);
        let rim = i64::from(spatial);
        let component = |component: i64| {
            let mut values = Vec::with_capacity(((nx + 2) * (ny + 2) * (nz + 2 * rim)) as usize);
            for z in -rim..nz + rim {
                for y in -1..=ny {
                    let at = |x| [lattice.fraction(0, x), lattice.fraction(1, y), lattice.fraction(2, z)];
                    values.extend((-1..=nx).map(|x| noise.at(component, at(x))));
                }
            }
            values
        };
        let components = (0..if spatial { 3 } else { 1 }).map(component).collect();
        Potential { components, stride: [(nx + 2) as usize, (ny + 2) as usize], rim_z: rim as usize }
    }

    fn at(&self, component: usize, [x, y, z]: [usize; 3]) -> f64 {
        self.components[component][(z * self.stride[1] + y) * self.stride[0] + x]
    }
}

/// Gradient noise: each corner of a lattice of cells has a random slope; between the corners the slopes are blended smoothly.
struct Noise {
    seed: u32,
    /// Cells along each axis of the world; whole numbers along wrapped axes, so that the ends meet.
    cells: [f64; 3],
    wrapped: [bool; 3],
    axes: usize,
}

impl Noise {
    fn new(lattice: &Lattice, wavelength: f64, seed: u32, spatial: bool) -> Self {
        // Noise is zero at the corners of its cells: with fewer nodes in a cell the grid would miss what is between.
        let cells = [0, 1, 2].map(|axis| {
            let cells = (lattice.size[axis] / wavelength).min(f64::from(lattice.nodes[axis] / 4));
            if lattice.wrapped[axis] { cells.round().max(1.0) } else { cells }
        });
        Noise { seed, cells, wrapped: lattice.wrapped, axes: if spatial { 3 } else { 2 } }
    }

    /// Noise at a position given as fractions of the world; each component is a noise of its own.
    fn at(&self, component: i64, fraction: [f64; 3]) -> f64 {
        let mut corner = [0i64; 3];
        let mut inside = [0.0; 3];
        let mut blend = [0.0; 3];
        for axis in 0..self.axes {
            let position = fraction[axis] * self.cells[axis];
            corner[axis] = position.floor() as i64;
            let t = position - position.floor();
            inside[axis] = t;
            blend[axis] = t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        }
        let corners = 0..1 << self.axes;
        corners
            .map(|bits: usize| {
                let mut weight = 1.0;
                let mut index = [0; 3];
                let mut offset = [0.0; 3];
                for axis in 0..self.axes {
                    let high = (bits >> axis) & 1;
                    weight *= if high == 1 { blend[axis] } else { 1.0 - blend[axis] };
                    index[axis] = corner[axis] + high as i64;
                    offset[axis] = inside[axis] - high as f64;
                }
                weight * self.slope(component, index, offset)
            })
            .sum()
    }

    /// The rise of a corner's slope over an offset from the corner.
    fn slope(&self, component: i64, mut index: [i64; 3], offset: [f64; 3]) -> f64 {
        for ((index, cells), wrapped) in index.iter_mut().zip(self.cells).zip(self.wrapped) {
            if wrapped {
                *index = index.rem_euclid(cells as i64);
            }
        }
        let bits = hash(self.seed, [component, index[0], index[1], index[2]]);
        // Ten bits for each axis, as a slope from -1 to 1.
        let rise = |axis: usize| (f64::from((bits >> (10 * axis)) & 1023) / 511.5 - 1.0) * offset[axis];
        (0..self.axes).map(rise).sum()
    }
}
