// How a spatial world stores a vector: three floats, without the fourth that a vec3f in a buffer would waste.

const SPATIAL = true;

alias Stored = array<f32, 3>;

fn load(stored: Stored) -> vec3f {
    return vec3f(stored[0], stored[1], stored[2]);
}

fn store(vector: vec3f) -> Stored {
    return Stored(vector.x, vector.y, vector.z);
}
