//! A hub for tests: a listener on this computer that answers as it is told, and remembers what it was asked.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// What was asked: method, path, and headers with names in small letters.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// First byte of the range that is asked for.
    pub(crate) fn from(&self) -> Option<usize> {
        self.header("range")?.strip_prefix("bytes=")?.split('-').next()?.parse().ok()
    }
}

/// What is answered: status, headers, and the body, with another length announced than it has or with none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) announced: Option<usize>,
    pub(crate) unannounced: bool,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// A file, or the part of it that is asked for.
    pub(crate) fn file(asked: &Asked, file: &[u8]) -> Self {
        let Some(from) = asked.from() else { return Self { status: 200, body: file.to_vec(), ..Self::default() } };
        if from >= file.len() {
            return Self::status(416);
        }
        let range = asked.header("range").unwrap_or_default();
        let last = range.rsplit('-').next().and_then(|last| last.parse::<usize>().ok()).unwrap_or(file.len() - 1);
        let end = (last + 1).min(file.len());
        let answer = Self { status: 206, body: file[from..end].to_vec(), ..Self::default() };
        answer.with("Content-Range", format!("bytes {from}-{}/{}", end - 1, file.len()))
    }

    /// What a hub says of a file that is all zeros behind its header, and the range of it that is asked for.
    pub(crate) fn of_header(asked: &Asked, header: &[u8], length: u64) -> Self {
        let answer = Self::status(if asked.method == "HEAD" { 200 } else { 206 })
            .with("X-Linked-Size", length.to_string())
            .with("X-Linked-ETag", format!("\"{}\"", "ab".repeat(32)));
        let Some(from) = asked.from() else { return answer };
        let last: usize = asked.header("range").unwrap().rsplit('-').next().unwrap().parse().unwrap();
        let mut body = header.get(from..).unwrap_or_default().to_vec();
        body.resize(last + 1 - from, 0);
        Self { body, ..answer }.with("Content-Range", format!("bytes {from}-{last}/{length}"))
    }

    /// Ends after `n` bytes, although more were announced.
    pub(crate) fn cut(mut self, n: usize) -> Self {
        self.announced = Some(self.body.len());
        self.body.truncate(n);
        self
    }

    /// Without `Content-Length`: the end of the connection is the end of the body.
    pub(crate) fn unannounced(mut self) -> Self {
        self.unannounced = true;
        self
    }

    fn write(&self, stream: &mut TcpStream, head: bool) -> std::io::Result<()> {
        let length = self.announced.unwrap_or(self.body.len());
        let mut text = format!("HTTP/1.1 {} Said\r\nConnection: close\r\n", self.status);
        if !self.unannounced {
            text.push_str(&format!("Content-Length: {length}\r\n"));
        }
        for (name, value) in &self.headers {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{text}\r\n").as_bytes())?;
        if !head {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

const PATIENCE: Duration = Duration::from_secs(5);

impl Server {
    /// Answers each request with what `answer` makes of it and of the requests before.
    pub(crate) fn start(answer: impl Fn(&Asked, &[Asked]) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, ended) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, end) = (Arc::clone(&asked), Arc::clone(&ended));
        let serve = move || {
            for stream in listener.incoming() {
                if end.load(Ordering::Acquire) {
                    return;
                }
                let Some(mut stream) = stream.ok() else { continue };
                // Under Wine a writer whose reader has gone is never told.
                stream.set_write_timeout(Some(PATIENCE)).unwrap();
                let Some(request) = read(&stream) else { continue };
                let mut log = log.lock().unwrap();
                let said = answer(&request, &log);
                let head = request.method == "HEAD";
                log.push(request);
                drop(log);
                // Whoever asked may have gone.
                drop(said.write(&mut stream, head));
            }
        };
        let thread = Builder::new().name("hub".to_owned()).spawn(serve).unwrap();
        Self { address, asked, ended, thread: Some(thread) }
    }

    /// `http://127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Release);
        drop(TcpStream::connect(self.address));
        drop(self.thread.take().map(JoinHandle::join));
    }
}

fn read(stream: &TcpStream) -> Option<Asked> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next()?.ok()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    for line in lines {
        let line = line.ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    Some(Asked { method, path, headers })
}

/// The header of a checkpoint of true size, and how long the file is: each line is a name, a type and a shape.
pub(crate) fn true_size(list: &str) -> (Vec<u8>, u64) {
    let mut at = 0;
    let entry = |line: &str| {
        let mut words = line.split(' ');
        let (name, kind, shape) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap_or_default());
        let sides: Vec<u64> = shape.split('x').filter_map(|side| side.parse().ok()).collect();
        let width = match kind {
            "F16" | "BF16" => 2,
            "I64" => 8,
            _ => 4,
        };
        let from = at;
        at += sides.iter().product::<u64>() * width;
        format!(r#""{name}":{{"dtype":"{kind}","shape":{sides:?},"data_offsets":[{from},{at}]}}"#)
    };
    let entries: Vec<String> = list.lines().map(entry).collect();
    let text = format!("{{{}}}", entries.join(","));
    let mut header = (text.len() as u64).to_le_bytes().to_vec();
    header.extend(text.as_bytes());
    let length = header.len() as u64 + at;
    (header, length)
}
