//! What operators and builtins do to 32 bits, as naga's SPIR-V has a GPU do it.
//!
//! Every operation on floats is rounded once. What WGSL leaves open is decided as `tests/interpreter/on_gpu.rs` finds it on a
//! GPU: the conversions clamp first, `min` and `max` prefer a number to NaN, `sign` of NaN is 0, `!=` is false for NaN.

use super::fault::Unsupported;
use naga::{BinaryOperator, MathFunction, RelationalFunction, ScalarKind, UnaryOperator};
use std::cmp::Ordering;

/// A function of one, two or three words.
#[derive(Debug, Clone, Copy)]
pub(super) enum Function {
    One(fn(u32) -> u32),
    Two(fn(u32, u32) -> u32),
    Three(fn(u32, u32, u32) -> u32),
}

macro_rules! float {
    (|$($x:ident),*| $body:expr) => { |$($x),*| { $(let $x = f32::from_bits($x);)* f32::to_bits($body) } };
}
macro_rules! signed {
    (|$($x:ident),*| $body:expr) => { |$($x),*| { $(let $x = $x.cast_signed();)* i32::cast_unsigned($body) } };
}
macro_rules! test {
    (f32 |$a:ident, $b:ident| $body:expr) => {
        |$a, $b| {
            let ($a, $b) = (f32::from_bits($a), f32::from_bits($b));
            u32::from($body)
        }
    };
    (i32 |$a:ident, $b:ident| $body:expr) => {
        |$a, $b| {
            let ($a, $b) = ($a.cast_signed(), $b.cast_signed());
            u32::from($body)
        }
    };
    (u32 |$a:ident, $b:ident| $body:expr) => {
        |$a, $b| u32::from($body)
    };
}

pub(super) fn same(a: u32) -> u32 {
    a
}

pub(super) fn select(reject: u32, accept: u32, condition: u32) -> u32 {
    if condition != 0 { accept } else { reject }
}

pub(super) fn unary(op: UnaryOperator, kind: ScalarKind) -> fn(u32) -> u32 {
    match (op, kind) {
        (UnaryOperator::Negate, ScalarKind::Float) => |a| a ^ 0x8000_0000,
        (UnaryOperator::Negate, _) => u32::wrapping_neg,
        (UnaryOperator::LogicalNot, _) => |a| a ^ 1,
        (UnaryOperator::BitwiseNot, _) => |a| !a,
    }
}

pub(super) fn binary(op: BinaryOperator, kind: ScalarKind) -> Result<fn(u32, u32) -> u32, Unsupported> {
    use BinaryOperator as B;
    use ScalarKind::{Float, Sint};
    Ok(match (op, kind) {
        (B::Add, Float) => float!(|a, b| a + b),
        (B::Subtract, Float) => float!(|a, b| a - b),
        (B::Multiply, Float) => float!(|a, b| a * b),
        (B::Divide, Float) => float!(|a, b| a / b),
        (B::Modulo, Float) => {
            return Err(Unsupported::new("% of floats", "drivers round it differently; use `a - b * trunc(a / b)`"));
        }
        (B::Add, _) => u32::wrapping_add,
        (B::Subtract, _) => u32::wrapping_sub,
        (B::Multiply, _) => u32::wrapping_mul,
        // Division by zero gives the dividend, and so does the one division that overflows; the remainder is then 0.
        (B::Divide, Sint) => signed!(|a, b| if b == 0 { a } else { a.wrapping_div(b) }),
        (B::Divide, _) => |a, b| a.checked_div(b).unwrap_or(a),
        (B::Modulo, Sint) => signed!(|a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
        (B::Modulo, _) => |a, b| a.checked_rem(b).unwrap_or(0),
        (B::Equal, Float) => test!(f32 | a, b | a == b),
        (B::Equal, _) => test!(u32 | a, b | a == b),
        // An ordered comparison: false if an operand is NaN.
        (B::NotEqual, Float) => test!(f32 | a, b | a.partial_cmp(&b).is_some_and(Ordering::is_ne)),
        (B::NotEqual, _) => test!(u32 | a, b | a != b),
        (B::Less, Float) => test!(f32 | a, b | a < b),
        (B::Less, Sint) => test!(i32 | a, b | a < b),
        (B::Less, _) => test!(u32 | a, b | a < b),
        (B::LessEqual, Float) => test!(f32 | a, b | a <= b),
        (B::LessEqual, Sint) => test!(i32 | a, b | a <= b),
        (B::LessEqual, _) => test!(u32 | a, b | a <= b),
        (B::Greater, Float) => test!(f32 | a, b | a > b),
        (B::Greater, Sint) => test!(i32 | a, b | a > b),
        (B::Greater, _) => test!(u32 | a, b | a > b),
        (B::GreaterEqual, Float) => test!(f32 | a, b | a >= b),
        (B::GreaterEqual, Sint) => test!(i32 | a, b | a >= b),
        (B::GreaterEqual, _) => test!(u32 | a, b | a >= b),
        (B::And | B::LogicalAnd, _) => |a, b| a & b,
        (B::InclusiveOr | B::LogicalOr, _) => |a, b| a | b,
        (B::ExclusiveOr, _) => |a, b| a ^ b,
        (B::ShiftLeft, _) => u32::wrapping_shl,
        (B::ShiftRight, Sint) => |a, b| a.cast_signed().wrapping_shr(b).cast_unsigned(),
        (B::ShiftRight, _) => u32::wrapping_shr,
    })
}

/// `all` and `any` combine two components at a time.
pub(super) fn relational(fun: RelationalFunction) -> Result<fn(u32, u32) -> u32, Unsupported> {
    match fun {
        RelationalFunction::All => Ok(|a, b| a & b),
        RelationalFunction::Any => Ok(|a, b| a | b),
        RelationalFunction::IsNan | RelationalFunction::IsInf => {
            Err(Unsupported::new("a test for NaN", "drivers may assume that there is none; compare the bits"))
        }
    }
}

/// The conversion between two kinds of scalars; with `bits` it is a bitcast, which leaves the word as it is.
pub(super) fn convert(from: ScalarKind, to: ScalarKind, bits: bool) -> fn(u32) -> u32 {
    use ScalarKind::{Bool, Float, Sint, Uint};
    match (from, to) {
        _ if bits => same,
        (Float, Bool) => |a| u32::from(f32::from_bits(a) != 0.0),
        (_, Bool) => |a| u32::from(a != 0),
        (Bool, Float) => |a| if a != 0 { 1f32.to_bits() } else { 0 },
        // The bounds are the outermost floats that fit. NaN counts as the lower one.
        (Float, Uint) => |a| within(f32::from_bits(a), 0.0, 4_294_967_040.0) as u32,
        (Float, Sint) => |a| (within(f32::from_bits(a), -2_147_483_648.0, 2_147_483_520.0) as i32).cast_unsigned(),
        (Uint, Float) => |a| (a as f32).to_bits(),
        (Sint, Float) => |a| (a.cast_signed() as f32).to_bits(),
        _ => same,
    }
}

fn smaller(a: f32, b: f32) -> f32 {
    if a < b || b.is_nan() { a } else { b }
}

fn larger(a: f32, b: f32) -> f32 {
    if a > b || b.is_nan() { a } else { b }
}

fn within(x: f32, least: f32, most: f32) -> f32 {
    smaller(larger(x, least), most)
}

fn sign(x: f32) -> f32 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        0.0
    }
}

/// Bits `offset` to `offset + count` of a word, moved to its upper end, and the shift that moves them to its lower end.
fn field(x: u32, offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    let count = count.min(32 - offset);
    if count == 0 { (0, 0) } else { (x << (32 - offset - count), 32 - count) }
}

pub(super) fn math(fun: MathFunction, kind: ScalarKind) -> Result<Function, Unsupported> {
    use Function::{One, Three, Two};
    use MathFunction as M;
    use ScalarKind::{Float, Sint, Uint};
    Ok(match (fun, kind) {
        (M::Abs, Float) => One(|a| a & 0x7fff_ffff),
        (M::Abs, Sint) => One(|a| a.cast_signed().unsigned_abs()),
        (M::Abs, _) => One(same),
        (M::Min, Float) => Two(float!(|a, b| smaller(a, b))),
        (M::Min, Sint) => Two(signed!(|a, b| a.min(b))),
        (M::Min, _) => Two(Ord::min),
        (M::Max, Float) => Two(float!(|a, b| larger(a, b))),
        (M::Max, Sint) => Two(signed!(|a, b| a.max(b))),
        (M::Max, _) => Two(Ord::max),
        (M::Clamp, Float) => Three(float!(|a, b, c| within(a, b, c))),
        (M::Clamp, Sint) => Three(signed!(|a, b, c| a.max(b).min(c))),
        (M::Clamp, _) => Three(|a, b, c| a.max(b).min(c)),
        (M::Saturate, Float) => One(float!(|a| within(a, 0.0, 1.0))),
        (M::Sqrt, Float) => One(float!(|a| a.sqrt())),
        (M::Floor, Float) => One(float!(|a| a.floor())),
        (M::Ceil, Float) => One(float!(|a| a.ceil())),
        (M::Trunc, Float) => One(float!(|a| a.trunc())),
        (M::Round, Float) => One(float!(|a| a.round_ties_even())),
        (M::Fract, Float) => One(float!(|a| a - a.floor())),
        (M::Sign, Float) => One(float!(|a| sign(a))),
        (M::Sign, Sint) => One(signed!(|a| a.signum())),
        (M::Step, Float) => Two(float!(|edge, x| if x < edge { 0.0 } else { 1.0 })),
        (M::CountOneBits, _) => One(u32::count_ones),
        (M::CountLeadingZeros, _) => One(u32::leading_zeros),
        (M::CountTrailingZeros, _) => One(u32::trailing_zeros),
        (M::ReverseBits, _) => One(u32::reverse_bits),
        (M::FirstTrailingBit, _) => One(|a| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        // For a negative number, this is the first zero bit.
        (M::FirstLeadingBit, Sint) => {
            One(|a| 31u32.wrapping_sub((a ^ (a.cast_signed() >> 31).cast_unsigned()).leading_zeros()))
        }
        (M::FirstLeadingBit, _) => One(|a| 31u32.wrapping_sub(a.leading_zeros())),
        (M::ExtractBits, Uint) => Three(|a, offset, count| {
            let (bits, shift) = field(a, offset, count);
            bits >> shift
        }),
        (M::ExtractBits, Sint) => Three(|a, offset, count| {
            let (bits, shift) = field(a, offset, count);
            (bits.cast_signed() >> shift).cast_unsigned()
        }),
        _ => return Err(banned(fun)),
    })
}

/// What to write instead of a builtin whose bits differ between drivers.
fn banned(fun: MathFunction) -> Unsupported {
    use MathFunction as M;
    let instead = match fun {
        M::Sin | M::Cos | M::Tan => "drivers differ in the last digits; use `rotation`, which gives cosine and sine",
        M::Atan | M::Atan2 | M::Asin | M::Acos => "drivers differ in the last digits; use `angle_of`",
        M::Dot => "the order of its sum is the driver's; use `dot3`, or write the sum",
        M::Cross => "drivers may fuse it; use `cross3`",
        M::Length => "the order of its sum is the driver's; use `sqrt(dot3(v, v))`",
        M::Distance => "the order of its sum is the driver's; use `sqrt(dot3(v, v))` of the difference",
        M::Normalize => "drivers differ in the last digits; use `unit_or_zero`",
        M::InverseSqrt => "drivers differ in the last digits; use `1.0 / sqrt(x)`",
        M::Mix => "drivers may fuse it; write `a + (b - a) * t`",
        M::Fma => "drivers may round it once or twice; write `a * b + c`",
        M::SmoothStep => "drivers may fuse it; write the polynomial",
        M::Pow | M::Exp | M::Exp2 | M::Log | M::Log2 => {
            "drivers differ in the last digits; use products or a polynomial"
        }
        M::Modf => "use `trunc` and `fract`",
        _ => "its result is not defined to the bit",
    };
    let name = match fun {
        M::SmoothStep => "smoothstep".to_owned(),
        _ => {
            let mut name = format!("{fun:?}");
            name[..1].make_ascii_lowercase();
            name
        }
    };
    Unsupported::new(format!("`{name}`"), instead)
}
