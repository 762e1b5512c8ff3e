//! Numbers and names as people write and read them.

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

/// A key, or the name of a preset, as a readable name: `perception_radius` becomes "Perception radius".
pub fn readable(key: &str) -> String {
    let mut letters = key.chars().map(|c| if c == '_' { ' ' } else { c });
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// The first of the names `KIND NUMBER`, with numbers from `first` on, that is not among the known ones.
pub fn free_name<'a>(kind: &str, first: u32, known: impl Iterator<Item = &'a String> + Clone) -> String {
    let is_free = |name: &String| known.clone().all(|known| known != name);
    (first..).map(|number| format!("{kind} {number}")).find(is_free).unwrap_or_default()
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

/// A number with about three digits in at most six characters, for which a box has room; seven if it is below 1. Numbers that need more
/// get an exponent: 1e6, 1.23e6.
pub fn boxed(number: f64) -> String {
    let text = short(number);
    let room = if number.abs() < 1.0 { 7 } else { 6 };
    if text.len() <= room && !(text == "0" && number != 0.0) {
        return text;
    }
    let with_exponent = |decimals: usize| {
        let text = format!("{number:.decimals$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = if decimals > 0 { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
        format!("{mantissa}e{exponent}")
    };
    (0..=2).rev().map(with_exponent).find(|text| text.len() <= room).unwrap_or_else(|| with_exponent(0))
}

/// A factor with about two digits: ×0.50, ×0.050, ×64.
pub fn factor_text(factor: f64) -> String {
    match factor {
        _ if factor >= 9.95 => format!("×{factor:.0}"),
        _ if factor >= 0.995 => format!("×{factor:.1}"),
        _ if factor >= 0.095 => format!("×{factor:.2}"),
        _ => format!("×{factor:.3}"),
    }
}

/// Read a typed number: thousands may be separated as the panel does (1,234.5) or the other way around (1.234,5). A single
/// comma before exactly three digits separates thousands too, as in 1,000; any other single comma is a decimal comma.
///
/// # Errors
/// Why the text is no number.
pub fn parse_number(text: &str) -> Result<f64, String> {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let plain = plain.replace('−', "-");
    let parsed = with_point(&plain).and_then(|plain| plain.parse::<f64>().ok()).filter(|number| number.is_finite());
    parsed.ok_or_else(|| {
        let parted = plain.contains(|c: char| c.is_ascii_digit()) && plain.contains([',', '.']);
        let ways = if parted { ": write 1,234.5 or 1.234,5; 1,000 is a thousand" } else { "" };
        format!("“{}” is not a number{ways}", steerling::scene::shorten(text.trim(), 40))
    })
}

/// Does a text have a single comma, which [`parse_number`] reads as a thousands separator, though it may be meant as a decimal comma?
pub fn parts_thousands(text: &str) -> bool {
    text.matches(',').count() == 1 && !text.contains('.') && with_point(text.trim()).is_some_and(|s| !s.contains('.'))
}

/// Normalize a typed number: no thousands separators, and a decimal point. `None` if it has no reading, or two.
fn with_point(text: &str) -> Option<String> {
    let (mantissa, exponent) = text.split_at(text.find(['e', 'E']).unwrap_or(text.len()));
    let digits = mantissa.trim_start_matches(['-', '+']);
    let sign = &mantissa[..mantissa.len() - digits.len()];
    let (whole, decimals) = match (digits.rfind(','), digits.rfind('.')) {
        (Some(_), None) if in_thousands(digits, ',') => (digits.replace(',', ""), None),
        (Some(at), None) => (digits[..at].to_owned(), Some(&digits[at + 1..])),
        (Some(comma), Some(point)) => {
            let (last, other) = if comma > point { (comma, '.') } else { (point, ',') };
            let whole = &digits[..last];
            if !in_thousands(whole, other) {
                return None;
            }
            (whole.replace(other, ""), Some(&digits[last + 1..]))
        }
        _ => return Some(text.to_owned()),
    };
    let only_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    match decimals {
        _ if !only_digits(&whole) => None,
        Some(decimals) if decimals.is_empty() || !only_digits(decimals) => None,
        Some(decimals) => Some(format!("{sign}{whole}.{decimals}{exponent}")),
        None => Some(format!("{sign}{whole}{exponent}")),
    }
}

/// Does a separator part a text into groups of three characters, after a first one of up to three?
fn in_thousands(text: &str, separator: char) -> bool {
    let mut groups = text.split(separator);
    let first = groups.next().unwrap_or_default();
    (1..=3).contains(&first.len()) && !first.starts_with('0') && groups.all(|group| group.len() == 3)
}

/// Read a typed whole number, whose thousands may be separated by one of `,._'` or by spaces.
///
/// # Errors
/// Why the text is no whole number, or that it is out of bounds.
pub fn parse_whole(text: &str, (min, max): (u32, u32)) -> Result<u32, String> {
    let plain = text.trim();
    let separator = plain.chars().find(|c| c.is_whitespace() || ",._'".contains(*c));
    let separator = separator.filter(|separator| in_thousands(plain, *separator));
    let digits = separator.map_or_else(|| plain.to_owned(), |separator| plain.replace(separator, ""));
    match digits.parse::<u64>() {
        Ok(number) if (u64::from(min)..=u64::from(max)).contains(&number) => Ok(number as u32),
        Ok(_) => Err(format!("must be between {} and {}", grouped(min.into()), grouped(max.into()))),
        Err(_) => Err(format!("“{}” is not a whole number", steerling::scene::shorten(text.trim(), 40))),
    }
}

/// A text with substitutes for characters that the fonts lack: ⁿ, ∇, floor and ceiling brackets, and hats over letters (unit vectors).
pub fn drawable(text: &str) -> String {
    let mut drawn = String::new();
    for letter in text.chars() {
        match letter {
            'ⁿ' => drawn += "^n",
            '∇' => drawn += "grad ",
            '⌊' => drawn += "floor(",
            '⌈' => drawn += "ceil(",
            '⌋' | '⌉' => drawn.push(')'),
            // The combining hat follows its letter.
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
    fn numbers_are_short_and_keys_readable() {
        for (number, text) in
            [(0.0, "0"), (360.0, "360"), (1234.5, "1234"), (2.0, "2"), (4.5678, "4.57"), (0.25, "0.25")]
        {
            assert_eq!(short(number), text);
        }
        assert_eq!((short(0.001_25), short(12.34), short(-0.5)), ("0.00125".into(), "12.3".into(), "-0.5".into()));
        for (number, text) in [
            (1e6, "1e6"),
            (1_234_567.0, "1.23e6"),
            (-1_234_567.0, "-1.2e6"),
            (1e9, "1e9"),
            (123_456.0, "123456"),
            (12.34, "12.3"),
            (-0.125, "-0.125"),
            (0.000_125, "1.25e-4"),
            (1e-7, "1e-7"),
        ] {
            assert_eq!(boxed(number), text);
        }
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_048_576, "1,048,576")] {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(readable("perception_radius"), "Perception radius");
        assert_eq!(
            (factor_text(64.0), factor_text(0.5), factor_text(1.0), factor_text(0.012)),
            ("×64".into(), "×0.50".into(), "×1.0".into(), "×0.012".into())
        );
    }

    #[test]
    fn numbers_are_read_as_they_are_typed() {
        for (text, expected) in [
            ("1.5", 1.5),
            ("1,5", 1.5),
            (" 0,25 ", 0.25),
            ("3,5", 3.5),
            ("-0,125", -0.125),
            ("0,250", 0.25),
            ("1234,567", 1234.567),
            ("1,5e3", 1500.0),
            ("1,000", 1000.0),
            ("−1,000", -1000.0),
            ("12,345,678", 12_345_678.0),
            ("1,234.5", 1234.5),
            ("1,000.5", 1000.5),
            ("1.234,5", 1234.5),
            ("1.234.567,8", 1_234_567.8),
            ("1 234,5", 1234.5),
            ("1,000,000", 1e6),
            ("1.234", 1.234),
            ("-3", -3.0),
            ("1e3", 1e3),
        ] {
            assert_eq!(parse_number(text), Ok(expected), "{text}");
        }
        for text in ["", "abc", "nan", "inf"] {
            assert!(parse_number(text).is_err(), "{text}");
        }
        // Texts with two readings, or none.
        for text in
            ["1.2.3", "1,2,3", "1,00,000", "12,34.5", "1,234,5", "1.23,4", "1,000.500,5", "1,", "1,a", "1234,567,890"]
        {
            let why = parse_number(text).expect_err(text);
            assert!(why.contains("1,234.5") && why.contains("1.234,5"), "{text}: {why}");
        }
        assert!(parts_thousands("1,000") && parts_thousands("-12,345"));
        assert!(!parts_thousands("1,5") && !parts_thousands("1,000.5") && !parts_thousands("1,000,000"));
        assert!(parse_number("abc").is_err_and(|why| !why.contains("1,234.5")), "nobody meant a comma");
        assert_eq!(parse_whole("1,000,000", (0, 1 << 30)), Ok(1_000_000));
        assert_eq!(parse_whole("20 000", (0, 1 << 30)), Ok(20_000));
        for text in ["100.0", "1.5", "1,2", "10,00", "1,234.567", "1 ,000", "0,001", "1,,000", ",100"] {
            assert!(parse_whole(text, (0, 1 << 30)).is_err_and(|why| why.contains("not a whole number")), "{text}");
        }
        assert_eq!(
            ["1.000", "1'234'567", " 7 "].map(|text| parse_whole(text, (0, 1 << 30))),
            [1_000, 1_234_567, 7].map(Ok)
        );
        assert!(parse_whole("0", (1, 9)).expect_err("too small").contains("between 1 and 9"));
        assert!(parse_whole("many", (1, 9)).expect_err("no number").contains("many"));
    }
}
