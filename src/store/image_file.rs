//! Pictures of any program as pixels, small images, and export to other formats.
//!
//! The size is read from the header before a byte is decoded: a file of a few kilobytes may claim a picture that no
//! memory holds. Turned pictures come out upright, transparent ones on white, 16-bit ones in 8.

use super::atomic;
use super::error::{StoreError, Trouble};
use super::infotext::infotext;
use super::{memory, picture};
use crate::pixels::Pixels;
use crate::recipe::Recipe;
use crate::units::PixelSize;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::imageops::FilterType;
use image::{
    DynamicImage, ExtendedColorType, ImageDecoder as _, ImageEncoder, ImageError, ImageFormat, ImageReader, Limits,
    RgbImage,
};
use std::fs::File;
use std::io::{self, BufReader, Cursor, Write as _};
use std::path::Path;

/// Longest side of a small image.
pub const THUMBNAIL_SIDE: u32 = 256;
/// Largest picture that is opened: 100 megapixels take 300 MB as pixels.
const MAX_PIXELS: u64 = 100_000_000;
const MAX_SIDE: u32 = 32_768;
const THUMBNAIL_QUALITY: u8 = 86;

/// A format that pictures can be exported to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExportFormat {
    Png,
    /// With its quality, 1 to 100.
    Jpeg(u8),
    /// Lossless.
    WebP,
}

impl ExportFormat {
    /// By the ending of a name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg(92)),
            "webp" => Some(Self::WebP),
            _ => None,
        }
    }
}

/// What an export says of how the picture was made.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub recipe: &'a Recipe,
    pub origin: super::Origin<'a>,
}

/// Opens a PNG, JPEG or WebP picture as pixels, whatever its name says it is. Of a moving picture, the first frame.
///
/// # Errors
/// Where it cannot be read, is no such picture, or is too large.
pub fn open(path: &Path) -> Result<Pixels, StoreError> {
    let failed = |trouble| StoreError::new(trouble, path);
    // Where a folder cannot be opened at all, as on Windows, the system's own words say less.
    if path.is_dir() {
        return Err(failed(Trouble::NotPicture("it is a folder".to_owned())));
    }
    let file = File::open(path).map_err(|error| StoreError::io(&error, path))?;
    let reader = ImageReader::new(BufReader::new(file)).with_guessed_format();
    let reader = reader.map_err(|error| StoreError::io(&error, path))?;
    decode(reader).map_err(failed)
}

/// The size that a picture's header gives, upright.
///
/// # Errors
/// As [`open`].
pub fn size_of(path: &Path) -> Result<PixelSize, StoreError> {
    let file = File::open(path).map_err(|error| StoreError::io(&error, path))?;
    let reader = ImageReader::new(BufReader::new(file)).with_guessed_format();
    let reader = reader.map_err(|error| StoreError::io(&error, path))?;
    let failed = |error: ImageError| StoreError::new(bad(&error), path);
    let mut decoder = reader.into_decoder().map_err(failed)?;
    let (width, height) = decoder.dimensions();
    use image::metadata::Orientation;
    Ok(match decoder.orientation().map_err(failed)? {
        Orientation::Rotate90 | Orientation::Rotate270 | Orientation::Rotate90FlipH | Orientation::Rotate270FlipH => {
            PixelSize::new(height, width)
        }
        _ => PixelSize::new(width, height),
    })
}

/// How a picture becomes one of another shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Scaled until it covers the new one, what is over cut off on both sides.
    #[default]
    Crop,
    /// Each direction for itself.
    Stretch,
}

/// A picture at another size (Lanczos). `None` for a picture without pixels.
#[must_use]
pub fn fitted(pixels: &Pixels, size: PixelSize, fit: Fit) -> Option<Pixels> {
    let from = pixels.size();
    if from == size {
        return Some(pixels.clone());
    }
    let image = DynamicImage::from(RgbImage::from_raw(from.width, from.height, pixels.rgb().to_vec())?);
    let (width, height) = (size.width, size.height);
    if from.pixels() == 0 || size.pixels() == 0 {
        return None;
    }
    let image = match fit {
        Fit::Crop => image.resize_to_fill(width, height, FilterType::Lanczos3),
        Fit::Stretch => image.resize_exact(width, height, FilterType::Lanczos3),
    };
    Pixels::new(size, image.into_rgb8().into_raw())
}

fn bad(error: &ImageError) -> Trouble {
    Trouble::NotPicture(error.to_string())
}

fn decode<R: io::BufRead + io::Seek>(mut reader: ImageReader<R>) -> Result<Pixels, Trouble> {
    if !matches!(reader.format(), Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)) {
        return Err(Trouble::NotPicture("it is of another format".to_owned()));
    }
    // The sizes are checked below, with words for people.
    reader.limits(Limits::no_limits());
    let mut decoder = reader.into_decoder().map_err(|error| bad(&error))?;
    let (width, height) = decoder.dimensions();
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(Trouble::TooLarge(width, height));
    }
    let orientation = decoder.orientation().map_err(|error| bad(&error))?;
    let mut image = DynamicImage::from_decoder(decoder).map_err(|error| bad(&error))?;
    image.apply_orientation(orientation);
    Ok(pixels(&image))
}

fn pixels(image: &DynamicImage) -> Pixels {
    let size = PixelSize::new(image.width(), image.height());
    let rgb = if image.color().has_alpha() {
        let over = |channel: u8, alpha: u8| {
            let alpha = u16::from(alpha);
            ((u16::from(channel) * alpha + 255 * (255 - alpha) + 127) / 255) as u8
        };
        let rgba = image.to_rgba8();
        rgba.pixels().flat_map(|pixel| [0, 1, 2].map(|index| over(pixel[index], pixel[3]))).collect()
    } else {
        image.to_rgb8().into_raw()
    };
    Pixels::new(size, rgb).unwrap_or_else(|| Pixels::blank(PixelSize::new(1, 1)))
}

/// A small JPEG of a picture, at most [`THUMBNAIL_SIDE`] a side. `None` for a picture without pixels.
pub(super) fn thumbnail(pixels: &Pixels) -> Option<Vec<u8>> {
    let small = shrunk(pixels, THUMBNAIL_SIDE)?;
    let mut jpeg = Vec::new();
    let encoder = JpegEncoder::new_with_quality(&mut jpeg, THUMBNAIL_QUALITY);
    encoder.write_image(small.as_raw(), small.width(), small.height(), ExtendedColorType::Rgb8).ok()?;
    Some(jpeg)
}

fn shrunk(pixels: &Pixels, side: u32) -> Option<RgbImage> {
    let PixelSize { width, height } = pixels.size();
    let image = RgbImage::from_raw(width, height, pixels.rgb().to_vec())?;
    let longest = width.max(height);
    if longest == 0 {
        return None;
    }
    if longest <= side {
        return Some(image);
    }
    let scaled = |value: u32| (u64::from(value) * u64::from(side) / u64::from(longest)).max(1) as u32;
    Some(image::imageops::resize(&image, scaled(width), scaled(height), FilterType::Triangle))
}

/// A small image back as pixels.
pub(super) fn decode_small(jpeg: &[u8]) -> Option<Pixels> {
    decode(ImageReader::with_format(Cursor::new(jpeg), ImageFormat::Jpeg)).ok()
}

/// Writes a picture in another format, replacing what has the name. With `said`, the settings go along: as A1111 text
/// for everybody (PNG chunk or EXIF `UserComment`) and as our own JSON; without it, nothing but pixels is written.
///
/// # Errors
/// What stands in the way; no half-written file is left behind.
pub fn export(path: &Path, pixels: &Pixels, format: ExportFormat, said: Option<Said<'_>>) -> Result<(), StoreError> {
    let failed = |trouble| StoreError::new(trouble, path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let texts = said.map(|Said { recipe, origin }| {
        let model = picture::model_name(origin.model);
        let own = memory::to_json(recipe, model, origin.decode, picture::VERSION)?;
        Ok((infotext(recipe, model, picture::VERSION), own))
    });
    let texts = texts.transpose().map_err(failed)?;
    let exif = texts.as_ref().map(|(foreign, own)| super::exif_block::block(foreign, own));
    let PixelSize { width, height } = pixels.size();
    let pending = atomic::write(folder, &mut |writer| match format {
        ExportFormat::Png => {
            let texts = texts.as_ref().map(|(foreign, own)| (foreign.as_str(), own.as_str()));
            picture::encode(writer, pixels, texts)
        }
        ExportFormat::Jpeg(quality) => {
            let mut encoder = JpegEncoder::new_with_quality(&mut *writer, quality.clamp(1, 100));
            with_exif(&mut encoder, exif.as_deref())?;
            encoder.write_image(pixels.rgb(), width, height, ExtendedColorType::Rgb8).map_err(io::Error::other)
        }
        ExportFormat::WebP => {
            // Its encoder needs to go back, which a stream cannot.
            let mut bytes = Vec::new();
            let mut encoder = WebPEncoder::new_lossless(&mut bytes);
            with_exif(&mut encoder, exif.as_deref())?;
            encoder.write_image(pixels.rgb(), width, height, ExtendedColorType::Rgb8).map_err(io::Error::other)?;
            writer.write_all(&bytes)
        }
    })?;
    pending.replace(path)
}

fn with_exif(encoder: &mut impl ImageEncoder, exif: Option<&[u8]>) -> io::Result<()> {
    match exif {
        Some(exif) => encoder.set_exif_metadata(exif.to_vec()).map_err(io::Error::other),
        None => Ok(()),
    }
}
