//! A small JSON reader for file headers and configs, because core knows no serde.
//!
//! Bounded depth, no recursion on hostile input beyond it, numbers kept both as written and as f64.

/// A JSON value. Objects keep their order; a repeated key keeps its last value when looked up.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    /// A number without fraction or exponent that fits, kept exactly.
    Integer(u64),
    String(String),
    Array(Vec<Self>),
    Object(Vec<(String, Self)>),
}

impl Value {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    #[must_use]
    pub const fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Integer(number) => Some(*number as f64),
            _ => None,
        }
    }

    #[must_use]
    pub const fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_usize(&self) -> Option<usize> {
        usize::try_from(self.as_u64()?).ok()
    }

    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    #[must_use]
    pub fn as_array(&self) -> Option<&[Self]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }
}

const MAX_DEPTH: usize = 64;

/// Reads one JSON text; `None` where it is none. Trailing white space is allowed, anything else is not.
#[must_use]
pub fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    reader.space();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        self.space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b'"' => self.string().map(Value::String),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Value> {
        self.take(b'{')?;
        let mut entries = Vec::new();
        self.space();
        if self.take(b'}').is_some() {
            return Some(Value::Object(entries));
        }
        loop {
            self.space();
            let key = self.string()?;
            self.space();
            self.take(b':')?;
            entries.push((key, self.value(depth + 1)?));
            self.space();
            if self.take(b',').is_none() {
                self.take(b'}')?;
                return Some(Value::Object(entries));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Value> {
        self.take(b'[')?;
        let mut items = Vec::new();
        self.space();
        if self.take(b']').is_some() {
            return Some(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.take(b',').is_none() {
                self.take(b']')?;
                return Some(Value::Array(items));
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(['"', '\\'])?;
            if rest[..plain].bytes().any(|byte| byte < 0x20) {
                return None;
            }
            out.push_str(&rest[..plain]);
            self.at += plain;
            if self.take(b'"').is_some() {
                return Some(out);
            }
            self.take(b'\\')?;
            let escape = self.peek()?;
            self.at += 1;
            out.push(match escape {
                b'"' => '"',
                b'\\' => '\\',
                b'/' => '/',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'n' => '\n',
                b'r' => '\r',
                b't' => '\t',
                b'u' => self.unicode()?,
                _ => return None,
            });
        }
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex4()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        self.take(b'\\')?;
        self.take(b'u')?;
        let second = self.hex4()?;
        if !(0xdc00..0xe000).contains(&second) {
            return None;
        }
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    }

    fn number(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        let word = &rest[..end];
        let digits = word.strip_prefix('-').unwrap_or(word);
        let leading_zero = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
        let bare_point = digits.starts_with('.')
            || digits.split_once('.').is_some_and(|(_, f)| !f.starts_with(|c: char| c.is_ascii_digit()));
        if word.starts_with('+') || leading_zero || bare_point {
            return None;
        }
        let value = match word.parse::<u64>() {
            Ok(number) => Value::Integer(number),
            Err(_) => Value::Number(word.parse::<f64>().ok()?),
        };
        self.at += end;
        Some(value)
    }
}
