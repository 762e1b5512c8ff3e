//! Numbers and names as a person writes and reads them.

/// A whole number with commas between thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A key for a person: `perception_radius` is Perception radius.
pub fn readable(key: &str) -> String {
    let mut letters = key.chars().map(|c| if c == '_' { ' ' } else { c });
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// A number with about three digits, as short as it goes: 0.125, 3.5, 120.
pub fn short(number: f64) -> String {
    let size = number.abs();
    let decimals = match size {
        _ if size == 0.0 || size >= 100.0 => 0,
        _ if size >= 10.0 => 1,
        _ if size >= 1.0 => 2,
        _ => (2 - size.log10().floor() as i32).clamp(3, 6) as usize,
    };
    let text = format!("{number:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A factor with two digits: ×0.5, ×0.05, ×64.
pub fn times(factor: f64) -> String {
    match factor {
        _ if factor >= 9.95 => format!("×{factor:.0}"),
        _ if factor >= 0.995 => format!("×{factor:.1}"),
        _ if factor >= 0.095 => format!("×{factor:.2}"),
        _ => format!("×{factor:.3}"),
    }
}

/// A number as it was typed, with a point or a comma before its decimals. Where there is a point too, and where there are
/// several, commas part thousands.
///
/// # Errors
/// Why it is none.
pub fn number(text: &str) -> Result<f64, String> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let parts = plain.matches(',').count();
    let plain = match (parts, plain.contains('.')) {
        (1, false) => plain.replace(',', "."),
        _ => plain.replace(',', ""),
    };
    let parsed = plain.replace('−', "-").parse::<f64>().ok().filter(|number| number.is_finite());
    parsed.ok_or_else(|| format!("“{}” is not a number", crate::scene::shorten(text.trim(), 40)))
}

/// A whole number as it was typed, with anything between thousands.
///
/// # Errors
/// Why it is none, or not within the bounds.
pub fn whole(text: &str, (min, max): (u32, u32)) -> Result<u32, String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace() && !",._'".contains(*c)).collect();
    let parsed = digits.parse::<u64>();
    match parsed {
        Ok(number) if (u64::from(min)..=u64::from(max)).contains(&number) => Ok(number as u32),
        Ok(_) => Err(format!("must be between {} and {}", grouped(min.into()), grouped(max.into()))),
        Err(_) => Err(format!("“{}” is not a whole number", crate::scene::shorten(text.trim(), 40))),
    }
}

/// A text with what the fonts have in place of what they lack: powers, gradients, rounding, and hats over letters, which are unit vectors.
pub fn drawable(text: &str) -> String {
    let mut drawn = String::new();
    for letter in text.chars() {
        match letter {
            'ⁿ' => drawn += "^n",
            '∇' => drawn += "grad ",
            '⌊' => drawn += "floor(",
            '⌈' => drawn += "ceil(",
            '⌋' | '⌉' => drawn.push(')'),
            // After its letter.
            '\u{302}' => {
                if let Some(letter) = drawn.pop() {
                    drawn += &format!("unit({letter})");
                }
            }
            _ => drawn.push(letter),
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fonts_lack_is_written_out() {
        assert_eq!(
            drawable("Σ r\u{302} × v\u{302}, ⌊k/m⌋ of ⌈n⌉, qⁿ, -∇U"),
            "Σ unit(r) × unit(v), floor(k/m) of ceil(n), q^n, -grad U"
        );
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_000), "1,000");
        assert_eq!(grouped(1_048_576), "1,048,576");
    }

    #[test]
    fn numbers_are_short_and_keys_readable() {
        for (number, text) in
            [(0.0, "0"), (360.0, "360"), (1234.5, "1234"), (2.0, "2"), (4.5678, "4.57"), (0.25, "0.25")]
        {
            assert_eq!(short(number), text);
        }
        assert_eq!((short(0.001_25), short(12.34), short(-0.5)), ("0.00125".into(), "12.3".into(), "-0.5".into()));
        assert_eq!(readable("perception_radius"), "Perception radius");
        assert_eq!(
            (times(64.0), times(0.5), times(1.0), times(0.012)),
            ("×64".into(), "×0.50".into(), "×1.0".into(), "×0.012".into())
        );
    }

    #[test]
    fn numbers_are_read_as_they_are_typed() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("1,5", 1.5),
            (" 0,25 ", 0.25),
            ("1,000.5", 1000.5),
            ("1,000,000", 1e6),
            ("-3", -3.0),
            ("1e3", 1e3),
        ] {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
        for text in ["", "abc", "1.2.3", "nan", "inf"] {
            assert!(number(text).is_err(), "{text}");
        }
        assert_eq!(whole("1,000,000", (0, 1 << 30)), Ok(1_000_000));
        assert_eq!(whole("20 000", (0, 1 << 30)), Ok(20_000));
        assert!(whole("0", (1, 9)).expect_err("too small").contains("between 1 and 9"));
        assert!(whole("many", (1, 9)).expect_err("no number").contains("many"));
    }
}
