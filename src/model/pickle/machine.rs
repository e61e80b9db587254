//! The stack machine: what each operation does to stack, memo and containers.

use super::{PickleError, Storage, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Modules whose functions have no business among weights.
const OUTSIDE: [&str; 24] = [
    "os",
    "posix",
    "nt",
    "subprocess",
    "sys",
    "socket",
    "shutil",
    "runpy",
    "importlib",
    "pickle",
    "_pickle",
    "webbrowser",
    "ctypes",
    "code",
    "pty",
    "commands",
    "builtins",
    "__builtin__",
    "operator",
    "timeit",
    "pdb",
    "bdb",
    "asyncio",
    "multiprocessing",
];
/// Builtins that only make containers.
const HARMLESS: [&str; 12] =
    ["set", "frozenset", "dict", "list", "tuple", "int", "float", "bool", "str", "bytes", "bytearray", "complex"];

#[derive(Default)]
pub(super) struct Machine<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) stack: Vec<Value>,
    memo: HashMap<u64, Value>,
    pub(super) lists: Vec<Vec<Value>>,
    pub(super) dictionaries: Vec<Vec<(Value, Value)>>,
    pub(super) storages: Vec<Storage>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, ..Self::default() }
    }

    fn take(&mut self, n: usize) -> Result<&'a [u8], PickleError> {
        let end = self.at.checked_add(n).ok_or(PickleError::Damaged("odd length"))?;
        let taken = self.bytes.get(self.at..end).ok_or(PickleError::Damaged("it ends too early"))?;
        self.at = end;
        Ok(taken)
    }

    /// A number of `n` bytes, little end first, without sign.
    fn number(&mut self, n: usize) -> Result<u64, PickleError> {
        let mut all = [0; 8];
        all[..n].copy_from_slice(self.take(n)?);
        Ok(u64::from_le_bytes(all))
    }

    fn line(&mut self) -> Result<&'a str, PickleError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or(PickleError::Damaged("a line does not end"))?;
        let line = self.take(end + 1)?;
        std::str::from_utf8(&line[..end]).map_err(|_utf8| PickleError::Damaged("a line is no text"))
    }

    fn sized(&mut self, n: usize) -> Result<&'a [u8], PickleError> {
        let length = self.number(n)?;
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    fn text(&mut self, n: usize) -> Result<(), PickleError> {
        let bytes = self.sized(n)?;
        self.stack.push(Value::Text(String::from_utf8_lossy(bytes).into()));
        Ok(())
    }

    fn pop(&mut self) -> Result<Value, PickleError> {
        self.stack.pop().ok_or(PickleError::Damaged("its stack is empty"))
    }

    /// What lies above the last mark.
    fn above_mark(&mut self) -> Result<Vec<Value>, PickleError> {
        let mark = self.stack.iter().rposition(|value| matches!(value, Value::Mark));
        let mark = mark.ok_or(PickleError::Damaged("a mark is missing"))?;
        let above = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(above)
    }

    fn tuple(&mut self, n: usize) -> Result<(), PickleError> {
        let from = self.stack.len().checked_sub(n).ok_or(PickleError::Damaged("its stack is empty"))?;
        let values = self.stack.split_off(from);
        self.stack.push(Value::Tuple(values.into()));
        Ok(())
    }

    fn new_list(&mut self, values: Vec<Value>) {
        self.stack.push(Value::List(self.lists.len()));
        self.lists.push(values);
    }

    pub(super) fn new_dictionary(&mut self, values: &[Value]) {
        self.stack.push(Value::Dictionary(self.dictionaries.len()));
        let pairs = values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone()));
        self.dictionaries.push(pairs.collect());
    }

    fn remember(&mut self, place: u64) {
        if let Some(value) = self.stack.last() {
            self.memo.insert(place, value.clone());
        }
    }

    fn recall(&mut self, place: u64) -> Result<(), PickleError> {
        let value = self.memo.get(&place).cloned();
        self.stack.push(value.ok_or(PickleError::Damaged("it refers to what is not there"))?);
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) -> Result<(), PickleError> {
        let top = module.split('.').next().unwrap_or(module);
        let builtin = matches!(module, "builtins" | "__builtin__") && HARMLESS.contains(&name);
        if OUTSIDE.contains(&top) && !builtin {
            return Err(PickleError::Code(format!("{module}.{name}")));
        }
        self.stack.push(Value::Global(format!("{module} {name}").into()));
        Ok(())
    }

    pub(super) fn run(&mut self) -> Result<Value, PickleError> {
        loop {
            let op = self.take(1)?[0];
            if op == b'.' {
                return self.pop();
            }
            if !self.constant(op)? && !self.container(op)? && !self.object(op)? && !self.memory(op)? {
                return Err(PickleError::Damaged("an operation that is not known"));
            }
        }
    }

    /// Numbers, texts and what nobody needs. Says whether the operation is one of these.
    fn constant(&mut self, op: u8) -> Result<bool, PickleError> {
        match op {
            b'N' | 0x88 | 0x89 => self.stack.push(Value::Other),
            b'J' => {
                let number = self.number(4)? as u32 as i32;
                self.stack.push(Value::Integer(number.into()));
            }
            b'K' => self.push_number(1)?,
            b'M' => self.push_number(2)?,
            0x8a => {
                let bytes = self.sized(1)?;
                let number = if bytes.len() > 8 { None } else { Some(signed(bytes)) };
                self.stack.push(number.map_or(Value::Other, Value::Integer));
            }
            b'G' => {
                self.take(8)?;
                self.stack.push(Value::Other);
            }
            b'I' | b'L' => {
                let number = self.line()?.trim_end_matches('L').parse();
                self.stack.push(number.map_or(Value::Other, Value::Integer));
            }
            b'F' | b'S' | b'V' => {
                let text: Rc<str> = self.line()?.trim_matches('\'').into();
                self.stack.push(Value::Text(text));
            }
            b'X' | b'T' => self.text(4)?,
            0x8c | b'U' => self.text(1)?,
            0x8d => self.text(8)?,
            0x8b | b'B' => self.skip(4)?,
            b'C' => self.skip(1)?,
            0x8e | 0x96 => self.skip(8)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Lists, tuples and dictionaries.
    fn container(&mut self, op: u8) -> Result<bool, PickleError> {
        match op {
            b']' | 0x8f => self.new_list(Vec::new()),
            b'l' | 0x91 => {
                let values = self.above_mark()?;
                self.new_list(values);
            }
            b'a' => {
                let value = self.pop()?;
                self.extend(vec![value]);
            }
            b'e' | 0x90 => {
                let values = self.above_mark()?;
                self.extend(values);
            }
            b')' => self.tuple(0)?,
            0x85 => self.tuple(1)?,
            0x86 => self.tuple(2)?,
            0x87 => self.tuple(3)?,
            b't' => {
                let values = self.above_mark()?;
                self.stack.push(Value::Tuple(values.into()));
            }
            b'}' => self.new_dictionary(&[]),
            b'd' => {
                let values = self.above_mark()?;
                self.new_dictionary(&values);
            }
            b's' => {
                let value = self.pop()?;
                let key = self.pop()?;
                self.set_items(&[key, value]);
            }
            b'u' => {
                let values = self.above_mark()?;
                self.set_items(&values);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Names of functions, and what they would make.
    fn object(&mut self, op: u8) -> Result<bool, PickleError> {
        match op {
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                self.global(module, name)?;
            }
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let (Value::Text(module), Value::Text(name)) = (module, name) else {
                    return Err(PickleError::Damaged("a function has no name"));
                };
                self.global(&module, &name)?;
            }
            b'R' => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                self.reduce(&function, &arguments, 0);
            }
            0x81 => {
                let (_, class) = (self.pop()?, self.pop()?);
                self.make(&class);
            }
            0x92 => {
                let (_, _, class) = (self.pop()?, self.pop()?, self.pop()?);
                self.make(&class);
            }
            b'i' => {
                let (module, name) = (self.line()?, self.line()?);
                self.above_mark()?;
                self.global(module, name)?;
                let class = self.pop()?;
                self.make(&class);
            }
            b'o' => {
                let class = self.above_mark()?.into_iter().next().unwrap_or(Value::Other);
                self.make(&class);
            }
            b'Q' => {
                let id = self.pop()?;
                self.storage(&id);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The stack and the memo themselves, and marks of the protocol. An object's state is dropped.
    fn memory(&mut self, op: u8) -> Result<bool, PickleError> {
        let place = |text: &str| text.parse().map_err(|_number| PickleError::Damaged("an odd place"));
        match op {
            0x80 => {
                self.take(1)?;
            }
            0x95 => {
                self.take(8)?;
            }
            b'(' => self.stack.push(Value::Mark),
            b'0' | b'b' => drop(self.pop()?),
            b'1' => drop(self.above_mark()?),
            b'2' => {
                let top = self.stack.last().cloned();
                self.stack.push(top.ok_or(PickleError::Damaged("its stack is empty"))?);
            }
            b'p' => {
                let place = place(self.line()?)?;
                self.remember(place);
            }
            b'q' => {
                let place = self.number(1)?;
                self.remember(place);
            }
            b'r' => {
                let place = self.number(4)?;
                self.remember(place);
            }
            0x94 => self.remember(self.memo.len() as u64),
            b'g' => {
                let place = place(self.line()?)?;
                self.recall(place)?;
            }
            b'h' => {
                let place = self.number(1)?;
                self.recall(place)?;
            }
            b'j' => {
                let place = self.number(4)?;
                self.recall(place)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn push_number(&mut self, n: usize) -> Result<(), PickleError> {
        let number = self.number(n)?;
        self.stack.push(Value::Integer(number as i64));
        Ok(())
    }

    /// Bytes that nobody needs.
    fn skip(&mut self, n: usize) -> Result<(), PickleError> {
        self.sized(n)?;
        self.stack.push(Value::Other);
        Ok(())
    }

    fn extend(&mut self, values: Vec<Value>) {
        if let Some(Value::List(list)) = self.stack.last()
            && let Some(list) = self.lists.get_mut(*list)
        {
            list.extend(values);
        }
    }

    fn set_items(&mut self, values: &[Value]) {
        if let Some(Value::Dictionary(dictionary)) = self.stack.last()
            && let Some(dictionary) = self.dictionaries.get_mut(*dictionary)
        {
            dictionary.extend(values.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        }
    }
}

/// Two's complement of up to eight bytes, little end first.
fn signed(bytes: &[u8]) -> i64 {
    let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut all = [fill; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}
