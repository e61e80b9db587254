//! Pickles read as data: the tensors that a checkpoint names, and nothing ever called.
//!
//! A pickle is a program for a small stack machine (`CPython`'s `Lib/pickletools.py` describes it) that may name any
//! function. Here functions are only names: two of them are known to describe a tensor, one an ordered dictionary, what
//! others would have made is left out, and a file that names one which reaches outside of weights is refused.

use super::header::TensorInfo;
use super::inventory::Precision;
use std::collections::HashMap;
use std::rc::Rc;

/// Why a pickle gives no tensors.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PickleError {
    #[error("the pickle would call {0}: it is a program, not only weights")]
    Code(String),
    #[error("the pickle is damaged: {0}")]
    Damaged(&'static str),
    #[error("tensor {0} is stored in an order that is not read")]
    OddOrder(String),
    #[error("the pickle holds no tensors")]
    Empty,
}

/// A tensor by the storage that it lies in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pickled {
    pub name: String,
    pub precision: Precision,
    pub shape: Vec<usize>,
    pub storage: Rc<str>,
    /// Where it starts in its storage, in values.
    pub offset: u64,
}

/// A storage as a pickle names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Storage {
    pub precision: Precision,
    pub key: Rc<str>,
    pub count: u64,
}

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

/// Nested deeper than this is no checkpoint.
const MAX_DEPTH: usize = 16;

#[derive(Clone, Debug)]
enum Value {
    /// Anything that weights have no use for.
    Other,
    Mark,
    Integer(i64),
    Text(Rc<str>),
    Tuple(Rc<[Self]>),
    /// Number of a list or dictionary, which may still grow.
    List(usize),
    Dictionary(usize),
    /// A function or class by its name.
    Global(Rc<str>),
    Storage(Rc<Storage>),
    Tensor(Rc<Pickled>),
    /// A tensor whose strides are not those of rows.
    OddTensor,
}

/// One pickle: its tensors, its storages in order of appearance, and how many bytes it is long.
#[derive(Debug, Default)]
pub(super) struct Pickle {
    pub tensors: Vec<Pickled>,
    pub storages: Vec<Storage>,
    /// Strings of a list, where the pickle is one.
    pub texts: Vec<String>,
    pub length: usize,
}

/// Reads one pickle from the start of `bytes`.
pub(super) fn read(bytes: &[u8]) -> Result<Pickle, PickleError> {
    let mut machine = Machine { bytes, ..Machine::default() };
    let root = machine.run()?;
    let mut pickle =
        Pickle { storages: std::mem::take(&mut machine.storages), length: machine.at, ..Pickle::default() };
    machine.collect(&machine.weights_in(&root), "", 0, &mut pickle.tensors)?;
    if let Value::List(list) = root {
        let texts = machine.lists.get(list).into_iter().flatten().filter_map(|value| match value {
            Value::Text(text) => Some(text.to_string()),
            _ => None,
        });
        pickle.texts = texts.collect();
    }
    Ok(pickle)
}

#[derive(Default)]
struct Machine<'a> {
    bytes: &'a [u8],
    at: usize,
    stack: Vec<Value>,
    memo: HashMap<u64, Value>,
    lists: Vec<Vec<Value>>,
    dictionaries: Vec<Vec<(Value, Value)>>,
    storages: Vec<Storage>,
}

impl<'a> Machine<'a> {
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

    fn new_dictionary(&mut self, values: &[Value]) {
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

    #[expect(clippy::too_many_lines, reason = "one arm for each operation of the format")]
    fn run(&mut self) -> Result<Value, PickleError> {
        loop {
            let op = self.take(1)?[0];
            match op {
                b'.' => return self.pop(),
                0x80 => drop(self.take(1)?),
                0x95 => drop(self.take(8)?),
                b'(' => self.stack.push(Value::Mark),
                b'0' | b'b' => drop(self.pop()?),
                b'1' => drop(self.above_mark()?),
                b'2' => {
                    let top = self.stack.last().cloned();
                    self.stack.push(top.ok_or(PickleError::Damaged("its stack is empty"))?);
                }
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
                b'B' | 0x8b => self.skip(4)?,
                b'C' => self.skip(1)?,
                0x8e | 0x96 => self.skip(8)?,
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
                b'p' => {
                    let place = self.line()?.parse().map_err(|_number| PickleError::Damaged("an odd place"))?;
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
                    let place = self.line()?.parse().map_err(|_number| PickleError::Damaged("an odd place"))?;
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
                b'Q' => {
                    let id = self.pop()?;
                    self.storage(&id);
                }
                _ => return Err(PickleError::Damaged("an operation that is not known")),
            }
        }
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

    /// An object of a class: a dictionary where the class is one, else something to pass over.
    fn make(&mut self, class: &Value) {
        match class {
            Value::Global(name) if matches!(&**name, "collections OrderedDict" | "collections defaultdict") => {
                self.new_dictionary(&[]);
            }
            _ => self.stack.push(Value::Other),
        }
    }

    fn reduce(&mut self, function: &Value, arguments: &Value, depth: usize) {
        let (Value::Global(name), Value::Tuple(arguments)) = (function, arguments) else {
            self.stack.push(Value::Other);
            return;
        };
        match &**name {
            "torch._utils _rebuild_tensor_v2" => self.stack.push(tensor(arguments)),
            "torch._utils _rebuild_parameter" | "torch._utils _rebuild_parameter_with_state" => {
                self.stack.push(arguments.first().cloned().unwrap_or(Value::Other));
            }
            "torch._tensor _rebuild_from_type_v2" if depth < MAX_DEPTH => match &arguments[..] {
                [function, _, inner, ..] => self.reduce(function, inner, depth + 1),
                _ => self.stack.push(Value::Other),
            },
            _ => self.make(function),
        }
    }

    /// `("storage", class, key, place, count)`: the bytes that tensors lie in.
    fn storage(&mut self, id: &Value) {
        let found = match id {
            Value::Tuple(id) => match &id[..] {
                [Value::Text(word), Value::Global(class), Value::Text(key), _, Value::Integer(count), ..]
                    if &**word == "storage" =>
                {
                    storage_precision(class).zip(u64::try_from(*count).ok()).map(|(precision, count)| Storage {
                        precision,
                        key: Rc::clone(key),
                        count,
                    })
                }
                _ => None,
            },
            _ => None,
        };
        self.stack.push(found.map_or(Value::Other, |storage| {
            if !self.storages.iter().any(|known| known.key == storage.key) {
                self.storages.push(storage.clone());
            }
            Value::Storage(Rc::new(storage))
        }));
    }

    /// The value of a text key.
    fn entry(&self, value: &Value, key: &str) -> Option<Value> {
        let Value::Dictionary(number) = value else { return None };
        let entries = self.dictionaries.get(*number)?;
        let found = entries.iter().rev().find(|(name, _)| matches!(name, Value::Text(name) if &**name == key));
        found.map(|(_, value)| value.clone())
    }

    /// The dictionary of weights inside of what trainers save around it.
    fn weights_in(&self, root: &Value) -> Value {
        let mut value = root.clone();
        for key in ["state_dict", "params_ema", "params"] {
            if let Some(inner @ Value::Dictionary(_)) = self.entry(&value, key) {
                value = inner;
            }
        }
        value
    }

    fn collect(&self, value: &Value, name: &str, depth: usize, out: &mut Vec<Pickled>) -> Result<(), PickleError> {
        match value {
            Value::Tensor(tensor) => out.push(Pickled { name: name.to_owned(), ..(**tensor).clone() }),
            Value::OddTensor => return Err(PickleError::OddOrder(name.to_owned())),
            Value::Dictionary(number) if depth < MAX_DEPTH => {
                for (key, value) in self.dictionaries.get(*number).into_iter().flatten() {
                    let Value::Text(key) = key else { continue };
                    let inner = if name.is_empty() { key.to_string() } else { format!("{name}.{key}") };
                    self.collect(value, &inner, depth + 1, out)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Two's complement of up to eight bytes, little end first.
fn signed(bytes: &[u8]) -> i64 {
    let fill = if bytes.last().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
    let mut all = [fill; 8];
    all[..bytes.len()].copy_from_slice(bytes);
    i64::from_le_bytes(all)
}

/// `(storage, offset, size, stride, ...)`.
fn tensor(arguments: &[Value]) -> Value {
    let [Value::Storage(storage), Value::Integer(offset), Value::Tuple(size), Value::Tuple(stride), ..] = arguments
    else {
        return Value::Other;
    };
    let numbers = |values: &[Value]| {
        let number = |value: &Value| match value {
            Value::Integer(number) => usize::try_from(*number).ok(),
            _ => None,
        };
        values.iter().map(number).collect::<Option<Vec<usize>>>()
    };
    let (Some(shape), Some(stride), Ok(offset)) = (numbers(size), numbers(stride), u64::try_from(*offset)) else {
        return Value::Other;
    };
    let mut step = 1_usize;
    let mut by_rows = shape.len() == stride.len();
    for (&n, &stride) in shape.iter().zip(&stride).rev() {
        by_rows &= n == 1 || stride == step;
        step = step.saturating_mul(n);
    }
    let inside = offset.checked_add(step as u64).is_some_and(|end| end <= storage.count);
    if !by_rows || !inside {
        return Value::OddTensor;
    }
    let storage_key = Rc::clone(&storage.key);
    let precision = storage.precision;
    Value::Tensor(Rc::new(Pickled { name: String::new(), precision, shape, storage: storage_key, offset }))
}

fn storage_precision(class: &str) -> Option<Precision> {
    Some(match class.strip_prefix("torch ")? {
        "DoubleStorage" => Precision::F64,
        "FloatStorage" => Precision::F32,
        "HalfStorage" => Precision::F16,
        "BFloat16Storage" => Precision::Bf16,
        "Float8_e4m3fnStorage" => Precision::F8E4M3,
        "Float8_e5m2Storage" => Precision::F8E5M2,
        "LongStorage" => Precision::I64,
        "IntStorage" => Precision::I32,
        "ShortStorage" => Precision::I16,
        "CharStorage" => Precision::I8,
        "ByteStorage" => Precision::U8,
        "BoolStorage" => Precision::Bool,
        _ => return None,
    })
}

impl Pickled {
    /// The tensor in a file in which its storage starts at `start`.
    pub(super) fn info(&self, start: u64) -> Option<TensorInfo> {
        let count = self.shape.iter().try_fold(1_u64, |all, &n| all.checked_mul(n as u64))?;
        let offset = start.checked_add(self.precision.bytes_of(self.offset)?.get())?;
        let bytes = self.precision.bytes_of(count)?;
        Some(TensorInfo::new(self.name.clone(), self.precision, self.shape.clone(), offset, bytes))
    }
}
