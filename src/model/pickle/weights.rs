//! What the machine's values mean to weights: storages, tensors, and the dictionary that names them.

use super::machine::Machine;
use super::{MAX_DEPTH, PickleError, Pickled, Storage, Value};
use crate::model::inventory::Precision;
use std::rc::Rc;

impl Machine<'_> {
    /// An object of a class: a dictionary where the class is one, else something to pass over.
    pub(super) fn make(&mut self, class: &Value) {
        match class {
            Value::Global(name) if matches!(&**name, "collections OrderedDict" | "collections defaultdict") => {
                self.new_dictionary(&[]);
            }
            _ => self.stack.push(Value::Other),
        }
    }

    pub(super) fn reduce(&mut self, function: &Value, arguments: &Value, depth: usize) {
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
    pub(super) fn storage(&mut self, id: &Value) {
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
    pub(super) fn weights_in(&self, root: &Value) -> Value {
        let mut value = root.clone();
        for key in ["state_dict", "params_ema", "params"] {
            if let Some(inner @ Value::Dictionary(_)) = self.entry(&value, key) {
                value = inner;
            }
        }
        value
    }

    pub(super) fn collect(
        &self,
        value: &Value,
        name: &str,
        depth: usize,
        out: &mut Vec<Pickled>,
    ) -> Result<(), PickleError> {
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
