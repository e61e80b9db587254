//! Gives the Windows program its icon, its version and its manifest. Elsewhere there is nothing to do.

use std::error::Error;
use winresource::WindowsResource;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("windows") {
        return Ok(());
    }
    let (icon, manifest) = ("assets/icons/headroom.ico", "packaging/windows/headroom.manifest");
    println!("cargo::rerun-if-changed={icon}");
    println!("cargo::rerun-if-changed={manifest}");
    let mut resource = WindowsResource::new();
    resource
        .set_icon(icon)
        .set_manifest_file(manifest)
        .set("ProductName", "Headroom")
        // What the task manager and "Open with" call the program.
        .set("FileDescription", "Headroom")
        .set("OriginalFilename", "headroom.exe")
        .set("LegalCopyright", "The Headroom developers, MIT or Apache-2.0");
    // Tests link without it: only the program needs a face.
    resource.compile_for("headroom")?;
    Ok(())
}
