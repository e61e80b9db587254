//! Asking the library: search, folders, tags.

use super::Library;
use super::pictures::{COLUMNS, record};
use crate::gallery::{Filter, FolderCount, Order, PictureId, Record};
use crate::recipe::Draft;
use crate::store::error::StoreError;
use crate::units::PixelSize;
use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

/// The settings of a picture as words to be searched for.
pub(super) fn facts(draft: &Draft, model: &str, size: PixelSize) -> String {
    let model_words = model.replace(['_', '-', '.'], " ");
    format!(
        "{model} {model_words} {size} seed {} {} steps guidance {} {} {}",
        draft.seed,
        draft.steps,
        draft.guidance,
        draft.sampler.name(),
        draft.schedule.name()
    )
}

/// The part of a statement after `FROM`, with what fills it in.
struct Clause {
    sql: String,
    values: Vec<Value>,
}

fn clause(filter: &Filter) -> Clause {
    let mut values = Vec::new();
    let mut sql = String::from("pictures WHERE deleted IS NULL");
    let mut and = |condition: &str, value: Value| {
        values.push(value);
        sql.push_str(" AND ");
        sql.push_str(&condition.replace('?', &format!("?{}", values.len())));
    };
    let (indexed, scanned): (Vec<&str>, Vec<&str>) =
        filter.text.split_whitespace().partition(|word| word.chars().all(has_spaces_around_words));
    // Every word as the start of a word; quotes keep its characters from being read as a query language.
    let phrases: Vec<String> = indexed
        .iter()
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .map(|word| format!("\"{}\"*", word.replace('"', "\"\"")))
        .collect();
    if !phrases.is_empty() {
        and("pictures.id IN (SELECT rowid FROM words WHERE words MATCH ?)", phrases.join(" ").into());
    }
    for word in scanned {
        and(
            "pictures.id IN (SELECT rowid FROM words WHERE instr(prompt || ' ' || negative || ' ' || tags, ?) > 0)",
            word.to_owned().into(),
        );
    }
    if filter.stars > 0 {
        and("stars >= ?", i64::from(filter.stars).into());
    }
    if let Some(tag) = &filter.tag {
        and("pictures.id IN (SELECT picture FROM tags WHERE tag = ?)", tag.clone().into());
    }
    if let Some(folder) = &filter.folder {
        and("folder = ?", folder.clone().into());
    }
    Clause { sql, values }
}

/// Chinese, Japanese and Thai put no spaces between words: what starts a word there is not known to the index.
const fn has_spaces_around_words(c: char) -> bool {
    !matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}

const fn order(order: Order) -> &'static str {
    match order {
        Order::Newest => " ORDER BY created DESC, pictures.id DESC",
        Order::Oldest => " ORDER BY created, pictures.id",
        Order::Stars => " ORDER BY stars DESC, created DESC, pictures.id DESC",
    }
}

impl Library {
    /// The ids of all pictures that fit, in order: what a list of thousands of rows scrolls over.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn ids(&self, filter: &Filter) -> Result<Vec<PictureId>, StoreError> {
        let clause = clause(filter);
        let sql = format!("SELECT pictures.id FROM {}{}", clause.sql, order(filter.order));
        self.rows(&sql, clause.values, |row| Ok(PictureId(row.get::<_, i64>(0)? as u64)))
    }

    /// `limit` pictures that fit, from the one at `offset` on.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn page(&self, filter: &Filter, offset: usize, limit: usize) -> Result<Vec<Record>, StoreError> {
        let mut clause = clause(filter);
        let count = clause.values.len();
        let sql = format!(
            "SELECT {COLUMNS} FROM {}{} LIMIT ?{} OFFSET ?{}",
            clause.sql,
            order(filter.order),
            count + 1,
            count + 2
        );
        clause.values.extend([(limit as i64).into(), (offset as i64).into()]);
        self.rows(&sql, clause.values, record)
    }

    /// How many pictures fit.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        let clause = clause(filter);
        let sql = format!("SELECT count(*) FROM {}", clause.sql);
        let rows = self.rows(&sql, clause.values, |row| row.get::<_, i64>(0))?;
        Ok(rows.first().copied().unwrap_or(0) as u64)
    }

    /// The folders with their pictures counted, last name first: the newest day.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn folders(&self) -> Result<Vec<FolderCount>, StoreError> {
        let sql = "SELECT folder, count(*) FROM pictures WHERE deleted IS NULL GROUP BY folder ORDER BY folder DESC";
        self.rows(sql, Vec::new(), |row| {
            Ok(FolderCount { folder: row.get(0)?, pictures: row.get::<_, i64>(1)? as u64 })
        })
    }

    /// All tags in use, in alphabetical order.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn tags(&self) -> Result<Vec<String>, StoreError> {
        let sql =
            "SELECT DISTINCT tag FROM tags JOIN pictures ON pictures.id = picture WHERE deleted IS NULL ORDER BY tag";
        self.rows(sql, Vec::new(), |row| row.get(0))
    }

    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: Vec<Value>,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(self.failed())?;
        let rows = statement.query_map(params_from_iter(values), read).map_err(self.failed())?;
        rows.collect::<rusqlite::Result<Vec<T>>>().map_err(self.failed())
    }
}
