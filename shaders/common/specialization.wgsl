// What a pipeline is specialized to. The host sets these when it builds the pipelines of a scene, so that a scene pays
// for nothing that it does not use.

override workgroup_size: u32 = 64;

// Boundary of each axis: 0 wrap, 1 contain, 2 open.
override boundary_x: u32 = 0;
override boundary_y: u32 = 0;
override boundary_z: u32 = 2;

override many_species: bool = false;

// Does any species use the behavior?
override separation_acts: bool = false;
override alignment_acts: bool = false;
override cohesion_acts: bool = false;
override flow_field_acts: bool = false;

// False only in the plain baseline of the profiler and in tests.
override clipped_rows: bool = true;
override id_order: bool = true;

const WRAP = 0u;
const CONTAIN = 1u;
