use headroom::units::{Bytes, PixelSize};
use proptest::prelude::*;

#[test]
fn sizes_are_read_as_people_write_them() {
    for (text, want) in [
        ("1234", Some(1234)),
        ("512MiB", Some(512 << 20)),
        ("3 GiB", Some(3 << 30)),
        ("15.92 GiB", Some(17_093_969_838)),
        ("2 GB", Some(2_000_000_000)),
        ("18446744073709551615", Some(u64::MAX)),
        ("0", Some(0)),
        ("", None),
        ("GiB", None),
        ("-1 GiB", None),
        ("1e3 MiB", None),
        ("3 parsecs", None),
        ("NaN", None),
        ("inf", None),
        ("99999999999999 TiB", None),
        ("1.2.3 GiB", None),
    ] {
        assert_eq!(Bytes::parse(text), want.map(Bytes), "{text}");
    }
}

#[test]
fn sizes_are_written_with_two_decimals_and_their_unit() {
    assert_eq!(Bytes(5_594_194_739).to_string(), "5.21 GiB");
    assert_eq!(Bytes::mib(38).to_string(), "38.0 MiB");
}

#[test]
fn picture_sizes_are_read_with_any_usual_cross() {
    for text in ["832x1216", "832X1216", "832×1216", "832*1216", " 832 x 1216 "] {
        assert_eq!(PixelSize::parse(text), Some((832, 1216)), "{text}");
    }
    for text in ["832", "x", "axb", "1.5x2", "", "832x1216x3"] {
        assert_eq!(PixelSize::parse(text), None, "{text}");
    }
}

proptest! {
    #[test]
    fn arithmetic_never_wraps(a: u64, b: u64) {
        let (a, b) = (Bytes(a), Bytes(b));
        prop_assert!(a + b >= a && a + b >= b);
        prop_assert!(a - b <= a);
        prop_assert!(a.percent(100) == a);
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        prop_assert!(Bytes::parse(&text).is_none() || text.contains(char::is_numeric));
        prop_assert!(PixelSize::parse(&text).is_none() || text.contains(char::is_numeric));
    }
}
