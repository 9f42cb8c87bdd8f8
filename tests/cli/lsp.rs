//! The language server, spoken to as an editor does: messages over standard input and output.

use super::{gpulearn, run, workspace};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Far longer than an answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

struct Editor {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    asked: i32,
}

impl Editor {
    /// A server whose own folder is another than the one that the editor has open.
    fn start(root: &Path) -> Editor {
        let mut command = gpulearn(Path::new("/"), &["lsp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut server = command.spawn().unwrap();
        let (input, output) = (server.stdin.take(), server.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if send.send(message).is_err() {
                    return;
                }
            }
        });
        let mut editor = Editor { server, input, messages, asked: 0 };
        let answer = editor.ask("initialize", json!({ "rootUri": uri(root), "capabilities": {} }));
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true, "{answer}");
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }));
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if message["id"] == self.asked {
                return message;
            }
        }
    }

    /// The next diagnostics that are told.
    fn told(&mut self) -> Value {
        let message = self.messages.recv_timeout(PATIENCE).unwrap();
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        message["params"]["diagnostics"].clone()
    }

    fn open(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "languageId": "cuda-cpp", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn change(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "version": 2 });
        let changes = json!([{ "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
        match line.trim_end().strip_prefix("Content-Length: ") {
            Some(bytes) => length = bytes.parse().ok()?,
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

const OUTSIDE: &str = "extern \"C\" __global__ void map(const float *in, float *out)\n{\n    \
                       out[threadIdx.x] = in[threadIdx.x + 1] + 10;\n}\n";

#[test]
fn an_editor_is_told_what_the_last_check_found() {
    let folder = workspace();
    let folder = folder.path();
    let file = folder.join("kernels/1-puzzles/map.cu");
    let mut editor = Editor::start(folder);

    // Nothing was checked: nothing is said.
    std::fs::write(&file, OUTSIDE).unwrap();
    editor.open(&file, OUTSIDE);
    assert_eq!(editor.told(), json!([]));

    // A check anywhere, as by the watch in a terminal.
    let (exit, out, err) = run(folder, &["check", "map", "--offline"]);
    assert_eq!(exit, 1, "{out}{err}");
    let found = editor.told();
    let [finding] = &found.as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!(
        (&finding["code"], &finding["severity"], &finding["source"]),
        (&json!("M001"), &json!(1), &json!("gpulearn"))
    );
    let expression =
        json!({ "start": { "line": 2, "character": 23 }, "end": { "line": 2, "character": 42 } });
    assert_eq!(finding["range"], expression, "{finding}");

    // What it means, where it is; elsewhere nothing.
    let mut hover = |line: u32, character: u32| {
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri(&file) }, "position": position });
        editor.ask("textDocument/hover", params)["result"].clone()
    };
    let explained = hover(2, 30);
    let text = explained["contents"]["value"].as_str().unwrap();
    assert!(text.starts_with("**M001 ") && text.contains("*Try:*"), "{text}");
    assert_eq!((hover(2, 5), hover(0, 30)), (Value::Null, Value::Null));

    // A line above moves it; a change of its line is the end of it, and the same text has it again.
    editor.change(&file, &format!("// above\n{OUTSIDE}"));
    assert_eq!(editor.told()[0]["range"]["start"], json!({ "line": 3, "character": 23 }));
    editor.change(&file, &OUTSIDE.replace(" + 1]", "]"));
    assert_eq!(editor.told(), json!([]));
    editor.change(&file, OUTSIDE);
    assert_eq!(editor.told()[0]["code"], "M001");

    // Fixed, saved and checked: clean.
    let fixed = OUTSIDE.replace(" + 1]", "]");
    editor.change(&file, &fixed);
    assert_eq!(editor.told(), json!([]));
    std::fs::write(&file, &fixed).unwrap();
    assert_eq!(run(folder, &["check", "map", "--offline"]).0, 0);
    assert_eq!(editor.told(), json!([]));

    assert_eq!(editor.ask("textDocument/completion", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(0));
}

#[test]
fn errors_of_the_compiler_are_told_and_other_files_are_nobodys() {
    let folder = workspace();
    let folder = folder.path();
    let file = folder.join("kernels/1-puzzles/map.cu");
    let broken = OUTSIDE.replace("threadIdx.x + 1", "gridIdx");
    std::fs::write(&file, &broken).unwrap();
    assert_eq!(run(folder, &["check", "map", "--offline"]).0, 1);
    let mut editor = Editor::start(folder);
    let other = folder.join("notes.cu");
    std::fs::write(&other, &broken).unwrap();
    editor.open(&other, &broken);
    editor.open(&file, &broken);
    let told = editor.told();
    assert_eq!((&told[0]["code"], &told[0]["range"]["start"]["line"]), (&json!("compiler-error"), &json!(2)));
    assert!(told[0]["message"].as_str().unwrap().contains("gridIdx"), "{told}");
    // An editor that dies leaves no server behind.
    drop(editor.input.take());
    assert_eq!(editor.server.wait().unwrap().code(), Some(1));
}
