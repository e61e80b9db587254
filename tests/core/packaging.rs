//! What the packages say of the program agrees with the program: version, name, licence, icons, languages.

use std::fs;
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The value of `key = "value"` under `[package]`.
fn cargo(key: &str) -> String {
    let manifest = text("Cargo.toml");
    let package = manifest.split("\n[").next().unwrap();
    let line = package.lines().find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix('='));
    line.unwrap().trim().trim_matches('"').to_owned()
}

fn scripts() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if fs::read(&path).unwrap().starts_with(b"#!") {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    walk(&path("packaging"), &mut out);
    out
}

/// The value of a line `Key=value`, or `Key[language]=value`.
fn desktop(key: &str) -> Option<String> {
    let text = text("packaging/linux/headroom.desktop");
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=').map(str::to_owned))
}

#[test]
fn the_version_is_written_down_once() {
    let version = cargo("version");
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    for (file, placeholder) in [
        ("packaging/linux/headroom.metainfo.xml", "version=\"@VERSION@\""),
        ("packaging/macos/Info.plist", "<string>@VERSION@</string>"),
        ("packaging/windows/headroom.nsi", "\"DisplayVersion\" \"${VERSION}\""),
    ] {
        let text = text(file);
        assert!(text.contains(placeholder), "{file} takes no version");
        assert!(!text.contains(&version), "{file} has a version of its own");
    }
    for script in ["deb", "linux", "macos", "windows"] {
        let text = text(&format!("packaging/{script}/build"));
        assert!(text.contains("packaging/version"), "{script}");
        assert!(!text.contains(&version), "{script}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_version_script_reads_it() {
    let output = std::process::Command::new(path("packaging/version")).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn names_agree() {
    let name = cargo("name");
    assert_eq!(desktop("Exec"), Some(format!("{name} %F")));
    assert_eq!(desktop("Icon").as_deref(), Some(name.as_str()));
    // The window says who it is: only so does a desktop find its icon and its name.
    assert!(text("src/app/mod.rs").contains(&format!("with_app_id(\"{name}\")")));
    assert_eq!(desktop("StartupWMClass").as_deref(), Some(name.as_str()));
    let metainfo = text("packaging/linux/headroom.metainfo.xml");
    assert!(metainfo.contains(&format!("<launchable type=\"desktop-id\">{name}.desktop</launchable>")));
    let plist = text("packaging/macos/Info.plist");
    assert!(plist.contains(&format!("<key>CFBundleExecutable</key><string>{name}</string>")));
    assert!(text("packaging/windows/headroom.nsi").contains(&format!("$INSTDIR\\{name}.exe")));
    assert!(text("build.rs").contains(&format!("compile_for(\"{name}\")")));
    for (file, shown) in [
        ("packaging/linux/headroom.metainfo.xml", "<name>Headroom</name>"),
        ("packaging/macos/Info.plist", "<key>CFBundleName</key><string>Headroom</string>"),
        ("packaging/windows/headroom.nsi", "Name \"Headroom\""),
        ("packaging/linux/headroom.desktop", "\nName=Headroom\n"),
        ("src/app/mod.rs", "with_title(\"Headroom\")"),
    ] {
        assert!(text(file).contains(shown), "{file}");
    }
}

#[test]
fn presets_have_a_kind_of_their_own() {
    const KIND: &str = "application/x-headroom-preset";
    let mime = text("packaging/linux/headroom.mime.xml");
    assert!(mime.contains(&format!("<mime-type type=\"{KIND}\">")));
    assert_eq!(desktop("MimeType"), Some(format!("{KIND};")));
    let metainfo = text("packaging/linux/headroom.metainfo.xml");
    assert!(metainfo.contains(&format!("<mediatype>{KIND}</mediatype>")));
    assert!(text("packaging/linux/stage").contains("share/mime/packages/headroom.xml"));
    // What tells them from any other TOML lies where the rule looks for it.
    let preset = text("assets/presets/02-sticker.toml");
    assert!(mime.contains("value=\"headroom_preset\" offset=\"0:512\""));
    assert!(preset.find("headroom_preset").is_some_and(|at| at <= 512));
}

#[test]
fn licences_agree() {
    let licence = cargo("license");
    assert_eq!(licence, "MIT OR Apache-2.0");
    let metainfo = text("packaging/linux/headroom.metainfo.xml");
    assert!(metainfo.contains(&format!("<project_license>{licence}</project_license>")));
    let told = "MIT or Apache-2.0";
    for file in
        ["packaging/deb/build", "packaging/windows/headroom.nsi", "packaging/macos/Info.plist", "build.rs", "README.md"]
    {
        assert!(text(file).contains(told), "{file}");
    }
    let full = text("LICENSE");
    assert!(full.contains("MIT License") && full.contains("Apache License, Version 2.0"));
    for build in ["linux/stage", "windows/build", "macos/build"] {
        assert!(text(&format!("packaging/{build}")).contains("packaging/licences"), "{build}");
    }
}

#[test]
fn the_desktop_speaks_every_language() {
    let metainfo = text("packaging/linux/headroom.metainfo.xml");
    let mime = text("packaging/linux/headroom.mime.xml");
    let plist = text("packaging/macos/Info.plist");
    for entry in fs::read_dir(path("locales")).unwrap() {
        let file = entry.unwrap().path();
        let language = file.file_stem().unwrap().to_str().unwrap();
        assert!(plist.contains(&format!("<string>{language}</string>")), "{language}");
        if language != "en" {
            // Desktop files and kinds of files name a country where we name a script.
            let posix = match language {
                "zh-Hans" => "zh_CN".to_owned(),
                language => language.replace('-', "_"),
            };
            for key in ["Comment", "GenericName"] {
                assert!(desktop(&format!("{key}[{posix}]")).is_some(), "{key} in {language}");
            }
            assert!(mime.contains(&format!("<comment xml:lang=\"{posix}\">")), "{language}");
            assert!(metainfo.contains(&format!("<summary xml:lang=\"{language}\">")), "{language}");
        }
    }
}

#[test]
fn the_uninstaller_takes_away_what_the_installer_brings() {
    let script = text("packaging/windows/headroom.nsi");
    let (install, uninstall) = script.split_once("Section \"Uninstall\"").unwrap();
    let build = text("packaging/windows/build");
    let mut brought = 0;
    for line in install.lines().filter_map(|line| line.trim().strip_prefix("File \"${FILES}\\")) {
        let name = line.trim_end_matches('"');
        assert!(uninstall.contains(&format!("Delete \"$INSTDIR\\{name}\"")), "{name} stays");
        assert!(build.contains(name.trim_end_matches(".txt")), "{name} is not made");
        brought += 1;
    }
    assert!(brought >= 5);
    for link in ["$SMPROGRAMS\\Headroom.lnk", "$INSTDIR\\uninstall.exe"] {
        assert!(install.contains(link) && uninstall.contains(&format!("Delete \"{link}\"")), "{link}");
    }
    // Without administrator rights only the user's own part of the registry can be written.
    assert!(script.contains("RequestExecutionLevel user") && !script.contains("HKLM"));
}

#[test]
fn the_checks_build_and_try_the_packages() {
    assert!(text(".ci/run").contains(" packaging/linux/check\n"));
    for (check, step) in [
        ("linux", "packaging/deb/build"),
        ("linux", "packaging/linux/build"),
        ("linux", "packaging/try/deb"),
        ("linux", "packaging/try/tarball"),
        ("windows", "packaging/windows/build"),
        ("windows", "packaging/windows/face"),
        ("windows", "packaging/try/windows"),
    ] {
        assert!(text(&format!("packaging/{check}/check")).contains(step), "{step}");
    }
    for build in ["packaging/linux/stage", "packaging/windows/build"] {
        assert!(text(build).contains("packaging/size"), "{build}");
    }
}

fn number(bytes: &[u8], at: usize, len: usize) -> usize {
    bytes[at..at + len].iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte))
}

/// Width and height from a PNG's first chunk.
fn png_size(bytes: &[u8]) -> (usize, usize) {
    assert!(bytes.starts_with(b"\x89PNG\r\n\x1a\n"));
    let big_endian = |at: usize| bytes[at..at + 4].iter().fold(0, |n, &byte| n << 8 | usize::from(byte));
    (big_endian(16), big_endian(20))
}

#[test]
fn icons_are_what_their_names_say() {
    let stage = text("packaging/linux/stage");
    let sizes = stage.split("for size in ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    let mut seen = 0;
    for size in sizes.split_whitespace() {
        let side: usize = size.parse().unwrap();
        let bytes = fs::read(path(&format!("assets/icons/headroom-{side}.png"))).unwrap();
        assert_eq!(png_size(&bytes), (side, side));
        seen += 1;
    }
    assert!(seen >= 6);
}

#[test]
fn the_windows_icon_has_every_size_that_windows_asks_for() {
    let bytes = fs::read(path("assets/icons/headroom.ico")).unwrap();
    assert_eq!((number(&bytes, 0, 2), number(&bytes, 2, 2)), (0, 1));
    let mut sides = Vec::new();
    for entry in 0..number(&bytes, 4, 2) {
        let at = 6 + 16 * entry;
        // A byte of zero stands for 256.
        let side = |at: usize| if bytes[at] == 0 { 256 } else { usize::from(bytes[at]) };
        assert_eq!(side(at), side(at + 1));
        let (len, start) = (number(&bytes, at + 8, 4), number(&bytes, at + 12, 4));
        assert!(start + len <= bytes.len());
        sides.push(side(at));
    }
    sides.sort_unstable();
    assert_eq!(sides, [16, 24, 32, 48, 64, 256]);
    assert!(text("build.rs").contains("assets/icons/headroom.ico"));
}

#[test]
fn the_windows_program_asks_for_long_paths_utf8_and_sharp_pixels() {
    let manifest = text("packaging/windows/headroom.manifest");
    for wanted in [
        "<activeCodePage xmlns=\"http://schemas.microsoft.com/SMI/2019/WindowsSettings\">UTF-8</activeCodePage>",
        "<longPathAware xmlns=\"http://schemas.microsoft.com/SMI/2016/WindowsSettings\">true</longPathAware>",
        ">PerMonitorV2, PerMonitor</dpiAwareness>",
        "level=\"asInvoker\"",
    ] {
        assert!(manifest.contains(wanted), "{wanted}");
    }
    assert!(text("build.rs").contains("packaging/windows/headroom.manifest"));
    assert!(text("src/main.rs").contains("windows_subsystem = \"windows\""));
}

#[test]
fn scripts_stop_at_the_first_failure() {
    let scripts = scripts();
    assert!(scripts.len() >= 8, "{scripts:?}");
    for script in scripts {
        let text = fs::read_to_string(&script).unwrap();
        if !text.starts_with("#!/usr/bin/env python3") {
            assert!(text.contains("\nset -eu"), "{}", script.display());
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(script.metadata().unwrap().permissions().mode() & 0o111, 0o111, "{}", script.display());
        }
    }
}
