//! `lsp`: a language server with which any editor shows the last check's findings at their lines, and explains
//! them.
//!
//! It judges nothing itself: `check` and `watch` store their results in the workspace, and the server publishes
//! them for the documents that are open in the editor. Messages are plain JSON: only six of the hundreds of
//! message types in `lsp-types` are used. The main loop is that of rust-analyzer's `lsp-server`.

mod document;
mod transport;

use super::{Answer, CommandError, Context, Exit, Result};
use document::{Columns, Document};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Interval at which stored results are checked for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(300);

pub fn run(context: &mut Context) -> Answer {
    let (connection, threads) = transport::connect();
    let served = serve(connection, context);
    let ended = threads.join().map_err(anyhow::Error::from);
    served.and_then(|exit| ended.map(|()| exit).map_err(CommandError::from))
}

/// Serves requests until the editor shuts the server down. As the protocol requires, an editor that disconnects
/// without a shutdown request is a failure.
fn serve(connection: Connection, context: &Context) -> Answer {
    let Ok((id, parameters)) = connection.initialize_start() else { return Ok(Exit::Fails) };
    // The workspace is searched from the folder that the editor has open.
    if let Some(root) = root(&parameters) {
        let _ = std::env::set_current_dir(root);
    }
    let columns = Columns::agreed(&parameters);
    let answer = json!({
        "capabilities": {
            "positionEncoding": columns.name(),
            "textDocumentSync": { "openClose": true, "change": 1, "save": true },
            "hoverProvider": true,
        },
        "serverInfo": { "name": "gpulearn", "version": report::json::TOOL },
    });
    if connection.initialize_finish(id, answer).is_err() {
        return Ok(Exit::Fails);
    }
    let mut server = Server { connection, context, columns, open: BTreeMap::new() };
    loop {
        match server.connection.receiver.recv_timeout(POLL_INTERVAL) {
            Ok(Message::Request(request)) => match server.connection.handle_shutdown(&request) {
                Ok(true) => return Ok(Exit::Pass),
                Ok(false) => server.answer(request),
                Err(_) => return Ok(Exit::Fails),
            },
            Ok(Message::Notification(notification)) => server.note(&notification)?,
            Ok(Message::Response(_)) => {}
            Err(error) if error.is_timeout() => server.look(),
            Err(_) => return Ok(Exit::Fails),
        }
    }
}

struct Server<'a> {
    connection: Connection,
    context: &'a Context,
    columns: Columns,
    /// Open documents by the URI that the editor uses for them.
    open: BTreeMap<String, Document>,
}

impl Server<'_> {
    fn answer(&self, request: Request) {
        let response = match request.method.as_str() {
            "textDocument/hover" => Response::new_ok(request.id, self.hover(&request.params)),
            other => Response::new_err(
                request.id,
                ErrorCode::MethodNotFound as i32,
                format!("gpulearn does not support {other}"),
            ),
        };
        self.send(response.into());
    }

    /// Returns the explanation of the finding at a position.
    fn hover(&self, parameters: &Value) -> Value {
        let position = &parameters["position"];
        let at = (position["line"].as_u64(), position["character"].as_u64());
        let (Some(document), (Some(line), Some(character))) = (self.document(parameters), at) else {
            return Value::Null;
        };
        let Some((kind, range)) = document.finding_at((line, character), self.columns) else {
            return Value::Null;
        };
        json!({ "contents": { "kind": "markdown", "value": report::explain_markdown(kind) }, "range": range })
    }

    fn document(&self, parameters: &Value) -> Option<&Document> {
        self.open.get(parameters["textDocument"]["uri"].as_str()?)
    }

    fn note(&mut self, notification: &Notification) -> Result<()> {
        let parameters = &notification.params;
        let of = &parameters["textDocument"];
        let Some(uri) = of["uri"].as_str().map(str::to_owned) else { return Ok(()) };
        match notification.method.as_str() {
            "textDocument/didOpen" => {
                let text = of["text"].as_str().unwrap_or_default().to_owned();
                if let Some(document) = self.kernel(&uri, text)? {
                    self.publish(&uri, &document);
                    self.open.insert(uri, document);
                }
            }
            "textDocument/didChange" => {
                let changed = parameters["contentChanges"].as_array().and_then(|changes| changes.last());
                let text = changed.and_then(|change| change["text"].as_str());
                if let (Some(document), Some(text)) = (self.open.get_mut(&uri), text) {
                    document.set_text(text.to_owned());
                    let document = &self.open[&uri];
                    self.publish(&uri, document);
                }
            }
            "textDocument/didClose" if self.open.remove(&uri).is_some() => self.publish_none(&uri),
            _ => {}
        }
        Ok(())
    }

    /// Opens a document for a workspace's own file of a lesson; nothing is stored about other files.
    fn kernel(&self, uri: &str, text: String) -> Result<Option<Document>> {
        let (Some(path), Some(workspace)) = (path_of(uri), self.context.workspace()) else { return Ok(None) };
        let canonical = |path: PathBuf| path.canonicalize().ok();
        let Some(path) = canonical(path) else { return Ok(None) };
        let mut lessons = self.context.course()?.lessons().iter();
        let lesson = lessons.find(|lesson| canonical(workspace.kernel(lesson)).as_ref() == Some(&path));
        Ok(lesson.map(|lesson| Document::new(lesson, workspace, text)))
    }

    /// Publishes the diagnostics of files that were checked since the last call.
    fn look(&mut self) {
        let mut anew = Vec::new();
        for (uri, document) in &mut self.open {
            if document.refresh() {
                anew.push(uri.clone());
            }
        }
        for uri in anew {
            self.publish(&uri, &self.open[&uri]);
        }
    }

    fn publish(&self, uri: &str, document: &Document) {
        self.publish_all(uri, document.diagnostics(self.columns));
    }

    fn publish_none(&self, uri: &str) {
        self.publish_all(uri, Vec::new());
    }

    fn publish_all(&self, uri: &str, diagnostics: Vec<Value>) {
        let parameters = json!({ "uri": uri, "diagnostics": diagnostics });
        self.send(Notification::new("textDocument/publishDiagnostics".into(), parameters).into());
    }

    /// Sends a message. If the editor is gone, the next read notices it.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }
}

/// Returns the folder that the editor has open.
fn root(parameters: &Value) -> Option<PathBuf> {
    let folder = parameters["workspaceFolders"][0]["uri"].as_str();
    path_of(folder.or(parameters["rootUri"].as_str())?)
}

/// Returns the path of a `file:` URI (RFC 8089).
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = percent_decode_str(&rest[rest.find('/')?..]).decode_utf8().ok()?;
    // On Windows, `/c:/folder` stands for `c:/folder`.
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(if drive { &path[1..] } else { &path }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn uris_of_files_are_paths() {
        assert_eq!(path_of("file:///a%20b/c%C3%A9.cu"), Some("/a b/cé.cu".into()));
        assert_eq!(path_of("file://localhost/a.cu"), Some("/a.cu".into()));
        assert_eq!(path_of("untitled:Untitled-1"), None);
        assert_eq!(path_of("file:///%ff"), None);
    }
}
