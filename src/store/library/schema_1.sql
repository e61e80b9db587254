-- One row. `clean` is 1 only between a proper end and the next start.
CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), clean INTEGER NOT NULL);

CREATE TABLE pictures (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path BLOB NOT NULL UNIQUE,
  folder TEXT NOT NULL,
  created INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  model TEXT NOT NULL,
  -- The settings as a picture carries them: JSON with a format number.
  settings TEXT NOT NULL,
  stars INTEGER NOT NULL DEFAULT 0,
  -- While a file is in the trash, `path` is there and this is where it came from.
  home BLOB,
  deleted INTEGER
);
CREATE INDEX pictures_by_time ON pictures (deleted, created DESC, id DESC);
CREATE INDEX pictures_by_folder ON pictures (deleted, folder, created DESC, id DESC);

CREATE TABLE tags (
  picture INTEGER NOT NULL REFERENCES pictures (id) ON DELETE CASCADE,
  tag TEXT NOT NULL COLLATE NOCASE,
  PRIMARY KEY (picture, tag)
) WITHOUT ROWID;
CREATE INDEX tags_by_name ON tags (tag);

CREATE TABLE thumbnails (
  picture INTEGER PRIMARY KEY REFERENCES pictures (id) ON DELETE CASCADE,
  jpeg BLOB NOT NULL
);

-- Kept in step by the program: words come from three places.
CREATE VIRTUAL TABLE words USING fts5 (prompt, negative, facts, tags, tokenize = 'unicode61 remove_diacritics 2');

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Jobs run in this order.
  place INTEGER NOT NULL,
  model TEXT NOT NULL,
  settings TEXT NOT NULL,
  forced INTEGER NOT NULL,
  state TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT ''
);
CREATE INDEX jobs_by_place ON jobs (place);
