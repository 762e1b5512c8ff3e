// How a planar world stores a vector: two floats. In registers every vector has three components.

const SPATIAL = false;

alias Stored = vec2f;

fn load(stored: Stored) -> vec3f {
    return vec3f(stored.x, stored.y, 0.0);
}

fn store(vector: vec3f) -> Stored {
    return vector.xy;
}
