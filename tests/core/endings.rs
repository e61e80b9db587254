//! How a drawing process ended, as systems report it.

use headroom::job::Cause;
use headroom::units::Bytes;

#[test]
fn signals_and_codes_become_causes() {
    let read = |signal, code| Cause::read(signal, code, "");
    assert_eq!(read(Some(9), None), Cause::Killed);
    assert_eq!(read(None, Some(137)), Cause::Killed);
    assert_eq!(read(Some(11), None), Cause::Fault);
    assert_eq!(read(Some(7), None), Cause::Fault);
    assert_eq!(read(None, Some(139)), Cause::Fault);
    assert_eq!(read(Some(6), None), Cause::Aborted);
    assert_eq!(read(Some(15), None), Cause::Signal(15));
    assert_eq!(read(None, Some(3)), Cause::Code(3));
    // Windows writes exceptions as negative numbers.
    assert_eq!(read(None, Some(-1_073_741_819)), Cause::Fault);
    assert_eq!(read(None, Some(0xC000_0005_u32.cast_signed())), Cause::Fault);
    assert_eq!(read(None, Some(0xC000_0409_u32.cast_signed())), Cause::Aborted);
    for code in [1455, 14, 8, 1450, 0xC000_0017_u32.cast_signed(), 0xC000_012D_u32.cast_signed()] {
        assert_eq!(read(None, Some(code)), Cause::Commit, "{code}");
    }
}

#[test]
fn a_refused_allocation_says_its_size() {
    let words = "warning: something\nmemory allocation of 7516192768 bytes failed\n";
    let cause = Cause::read(Some(6), None, words);
    assert_eq!(cause, Cause::Allocation(Bytes(7_516_192_768)));
    assert!(cause.of_memory());
    assert_eq!(Cause::read(Some(6), None, "memory allocation of many bytes failed"), Cause::Aborted);
    assert!(!Cause::Fault.of_memory());
}
