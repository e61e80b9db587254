//! Pictures in and out of the library: adding, stars, tags, small images.

use super::{Library, now, path_bytes, path_from, query};
use crate::gallery::{MAX_STARS, PictureId, Record};
use crate::pixels::Pixels;
use crate::recipe::Draft;
use crate::store::error::StoreError;
use crate::store::{image_file, memory};
use crate::units::PixelSize;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use std::path::{Path, PathBuf};

/// A picture that was written.
#[derive(Clone, Debug)]
pub struct NewPicture {
    pub path: PathBuf,
    pub model: String,
    /// Of this one picture: its own seed, a batch of one.
    pub draft: Draft,
    pub size: PixelSize,
    /// Seconds since 1970; `None` is now.
    pub created: Option<i64>,
}

/// What every query for records selects, in the order in which [`record`] reads it.
pub(super) const COLUMNS: &str = "pictures.id, path, model, settings, width, height, created, folder, stars, \
     (SELECT group_concat(tag, char(31)) FROM (SELECT tag FROM tags WHERE picture = pictures.id ORDER BY tag))";

impl Library {
    /// Adds a picture, or takes over anew what it says where its path is known. Pass its pixels to have the small image
    /// made here.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn add(&mut self, picture: &NewPicture, pixels: Option<&Pixels>) -> Result<PictureId, StoreError> {
        let file = self.file.clone();
        let failed = |error: rusqlite::Error| super::trouble(&error, &file);
        let transaction = self.connection.transaction().map_err(failed)?;
        let id = insert(&transaction, picture).map_err(failed)?;
        if let Some(jpeg) = pixels.and_then(image_file::thumbnail) {
            put_thumbnail(&transaction, id, &jpeg).map_err(failed)?;
        }
        transaction.commit().map_err(failed)?;
        Ok(id)
    }

    /// # Errors
    /// Where the library cannot be read.
    pub fn get(&self, id: PictureId) -> Result<Option<Record>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM pictures WHERE id = ?1 AND deleted IS NULL");
        let mut statement = self.connection.prepare_cached(&sql).map_err(self.failed())?;
        statement.query_row([id.0 as i64], record).optional().map_err(self.failed())
    }

    /// The picture at a path, if the library has it.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn by_path(&self, path: &Path) -> Result<Option<PictureId>, StoreError> {
        let sql = "SELECT id FROM pictures WHERE path = ?1 AND deleted IS NULL";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let id = statement.query_row([path_bytes(path)], |row| row.get::<_, i64>(0)).optional();
        Ok(id.map_err(self.failed())?.map(|id| PictureId(id as u64)))
    }

    /// The small image of a picture, at most 256 pixels a side; `None` where none was made yet.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn thumbnail(&self, id: PictureId) -> Result<Option<Pixels>, StoreError> {
        let sql = "SELECT jpeg FROM thumbnails WHERE picture = ?1";
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let jpeg = statement.query_row([id.0 as i64], |row| row.get::<_, Vec<u8>>(0)).optional();
        Ok(jpeg.map_err(self.failed())?.and_then(|jpeg| image_file::decode_small(&jpeg)))
    }

    /// Makes and keeps the small image of a picture.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn set_thumbnail(&mut self, id: PictureId, pixels: &Pixels) -> Result<(), StoreError> {
        let Some(jpeg) = image_file::thumbnail(pixels) else { return Ok(()) };
        put_thumbnail(&self.connection, id, &jpeg).map_err(self.failed())
    }

    /// Gives a picture stars, at most [`MAX_STARS`].
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn set_stars(&mut self, id: PictureId, stars: u8) -> Result<(), StoreError> {
        let stars = stars.min(MAX_STARS);
        let done = self.connection.execute("UPDATE pictures SET stars = ?2 WHERE id = ?1", params![id.0 as i64, stars]);
        done.map(|_rows| ()).map_err(self.failed())
    }

    /// Puts a tag on pictures, or takes it off. Tags are compared without regard to case.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn set_tag(&mut self, ids: &[PictureId], tag: &str, on: bool) -> Result<(), StoreError> {
        let tag = tag.split_whitespace().collect::<Vec<_>>().join(" ");
        if tag.is_empty() {
            return Ok(());
        }
        let file = self.file.clone();
        let failed = |error: rusqlite::Error| super::trouble(&error, &file);
        let transaction = self.connection.transaction().map_err(failed)?;
        for id in ids {
            let sql = if on {
                "INSERT OR IGNORE INTO tags (picture, tag) SELECT id, ?2 FROM pictures WHERE id = ?1"
            } else {
                "DELETE FROM tags WHERE picture = ?1 AND tag = ?2"
            };
            transaction.execute(sql, params![id.0 as i64, tag]).map_err(failed)?;
            transaction
                .execute(
                    "UPDATE words SET tags = coalesce((SELECT group_concat(tag, ' ') FROM tags WHERE picture = ?1), '') \
                     WHERE rowid = ?1",
                    [id.0 as i64],
                )
                .map_err(failed)?;
        }
        transaction.commit().map_err(failed)
    }
}

/// Writes the row of a picture and its words.
pub(super) fn insert(connection: &Connection, picture: &NewPicture) -> rusqlite::Result<PictureId> {
    let draft = &picture.draft;
    let folder = picture.path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
    let id: i64 = connection.query_row(
        "INSERT INTO pictures (path, folder, created, width, height, model, settings) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) \
         ON CONFLICT (path) DO UPDATE SET width = ?4, height = ?5, model = ?6, settings = ?7, created = ?3, \
         home = NULL, deleted = NULL RETURNING id",
        params![
            path_bytes(&picture.path),
            folder,
            picture.created.unwrap_or_else(now),
            picture.size.width,
            picture.size.height,
            picture.model,
            memory::draft_json(draft),
        ],
        |row| row.get(0),
    )?;
    connection.execute("DELETE FROM words WHERE rowid = ?1", [id])?;
    connection.execute(
        "INSERT INTO words (rowid, prompt, negative, facts, tags) VALUES (?1, ?2, ?3, ?4, \
         coalesce((SELECT group_concat(tag, ' ') FROM tags WHERE picture = ?1), ''))",
        params![id, draft.prompt, draft.negative, query::facts(draft, &picture.model, picture.size)],
    )?;
    Ok(PictureId(id as u64))
}

pub(super) fn put_thumbnail(connection: &Connection, id: PictureId, jpeg: &[u8]) -> rusqlite::Result<()> {
    let sql = "INSERT INTO thumbnails (picture, jpeg) SELECT id, ?2 FROM pictures WHERE id = ?1 \
               ON CONFLICT (picture) DO UPDATE SET jpeg = ?2";
    connection.execute(sql, params![id.0 as i64, jpeg]).map(|_rows| ())
}

/// A row of [`COLUMNS`]. Settings that cannot be read are none: the file itself may still have them.
pub(super) fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let (width, height) = (row.get(4)?, row.get(5)?);
    let settings: String = row.get(3)?;
    let tags: Option<String> = row.get(9)?;
    Ok(Record {
        id: PictureId(row.get::<_, i64>(0)? as u64),
        path: path_from(row.get(1)?),
        model: row.get(2)?,
        draft: memory::draft_from_json(&settings),
        size: PixelSize::new(width, height),
        created: row.get(6)?,
        folder: row.get(7)?,
        stars: row.get(8)?,
        tags: tags.map(|tags| tags.split('\u{1f}').map(str::to_owned).collect()).unwrap_or_default(),
    })
}
