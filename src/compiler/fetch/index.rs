//! A client for the Python package index over HTTPS, as far as fetching a wheel of a known name requires: the
//! list of a project's files (PEP 503, and its JSON form, PEP 691), and the file itself, resumed after
//! interruptions.
//!
//! The responses are not trusted: the installation compares the file's SHA-256 with ours.

use super::progress::Progress;
use super::{WHAT_ELSE, escape};
use crate::environment;
use crate::wheel::Wheel;
use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Deserialize;
use std::env;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;
use ureq::http::{Response, StatusCode};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Body};

const PYPI: &str = "https://pypi.org/simple";
/// Variables that name the index, ours first; the others are those that pip and uv read.
const VARIABLES: [&str; 3] = [environment::INDEX_URL, "PIP_INDEX_URL", "UV_DEFAULT_INDEX"];
const LISTS: &str =
    "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1";
/// Maximum size of a list of files; usual lists have a few hundred kB.
const LARGEST_LIST: u64 = 64 << 20;
/// Maximum number of attempts, each of which resumes the interrupted download.
const GOES: usize = 5;

/// A package index.
#[derive(Clone, Debug)]
pub struct Index {
    url: String,
    agent: Agent,
}

/// PEP 691's response, as far as it is used.
#[derive(Deserialize)]
struct Project {
    files: Vec<ProjectFile>,
}

#[derive(Deserialize)]
struct ProjectFile {
    filename: String,
    url: String,
}

impl Index {
    /// Returns the index named by the environment, otherwise PyPI. Proxies are taken from `HTTPS_PROXY` and
    /// `ALL_PROXY`, and certificates from the system (`SSL_CERT_FILE` names others).
    pub fn from_environment() -> Index {
        let named =
            VARIABLES.iter().find_map(|name| env::var(name).ok().filter(|url| !url.trim().is_empty()));
        Index::at(named.as_deref().unwrap_or(PYPI))
    }

    /// Returns the index at an address, such as `https://pypi.org/simple`.
    pub fn at(url: &str) -> Index {
        let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            .user_agent(concat!("gpulearn/", env!("CARGO_PKG_VERSION")))
            .tls_config(tls)
            .build()
            .into();
        Index { url: url.trim().trim_end_matches('/').to_owned(), agent }
    }

    /// Returns the address without credentials, for display.
    pub fn shown(&self) -> String {
        escape(&without_user(&self.url))
    }

    /// Downloads the wheels into `folder`; each stays in `partial` until it is complete.
    ///
    /// # Errors
    ///
    /// Fails if the index can't be reached or lacks a file, or if the disk is full.
    pub fn download(&self, wheels: &[Wheel], title: &str, partial: &Path, folder: &Path) -> Result<()> {
        fs::create_dir_all(partial).with_context(|| format!("cannot create {}", partial.display()))?;
        let bar = Progress::new(title, wheels.iter().map(|wheel| wheel.bytes).sum());
        let mut before = 0;
        for wheel in wheels {
            let part = partial.join(wheel.file);
            let address = self.address_of(wheel).with_context(|| format!("cannot fetch {title}"))?;
            self.fetch(&address, wheel, &part, &|bytes| bar.at(before + bytes))
                .with_context(|| format!("cannot fetch {title}"))?;
            fs::rename(&part, folder.join(wheel.file))
                .with_context(|| format!("cannot move {} into place", wheel.file))?;
            before += wheel.bytes;
        }
        bar.end();
        let _ = fs::remove_dir(partial);
        Ok(())
    }

    /// Returns the address of the file according to the index.
    fn address_of(&self, wheel: &Wheel) -> Result<String> {
        let page = format!("{}/{}/", self.url, wheel.project);
        let mut answer = self.get(&page, 0)?;
        let status = answer.status();
        ensure!(status.is_success(), "{} answers {status} for {}. {WHAT_ELSE}", self.shown(), wheel.project);
        let is_json = answer.body().mime_type().is_some_and(|kind| kind.ends_with("json"));
        let text = answer
            .body_mut()
            .with_config()
            .limit(LARGEST_LIST)
            .read_to_string()
            .with_context(|| format!("cannot read the answer from {}", self.shown()))?;
        let link = if is_json {
            let project: Project = serde_json::from_str(&text)
                .with_context(|| format!("cannot read the list of files of {}", self.shown()))?;
            project.files.into_iter().find(|file| file.filename == wheel.file).map(|file| file.url)
        } else {
            link_in_page(&text, wheel.file)
        };
        match link {
            Some(link) => Ok(join(&page, &link)),
            None => bail!(
                "{} does not have {}: set GPULEARN_INDEX_URL to an index that has it ({PYPI}). {WHAT_ELSE}",
                self.shown(),
                wheel.file
            ),
        }
    }

    /// Downloads `part` to its full length, resuming after the bytes it already has.
    fn fetch(&self, address: &str, wheel: &Wheel, part: &Path, at: &dyn Fn(u64)) -> Result<()> {
        let no_room = || format!("cannot write {} (is the disk full?)", part.display());
        let mut broken = None;
        for _ in 0..GOES {
            let mut have = fs::metadata(part).map_or(0, |found| found.len());
            if have == wheel.bytes {
                return Ok(());
            }
            if have > wheel.bytes {
                fs::remove_file(part).with_context(no_room)?;
                have = 0;
            }
            let mut answer = self.get(address, have)?;
            let goes_on = answer.status() == StatusCode::PARTIAL_CONTENT;
            ensure!(
                answer.status().is_success(),
                "the index answers {} for {}. {WHAT_ELSE}",
                answer.status(),
                wheel.file
            );
            let mut file = File::options().create(true).append(true).open(part).with_context(no_room)?;
            if !goes_on {
                file.set_len(0).with_context(no_room)?;
                have = 0;
            }
            let mut body = answer.body_mut().as_reader().take(wheel.bytes - have);
            let mut piece = vec![0; 1 << 18];
            loop {
                match body.read(&mut piece) {
                    Ok(0) => break,
                    Ok(bytes) => {
                        file.write_all(&piece[..bytes]).with_context(no_room)?;
                        have += bytes as u64;
                        at(have);
                    }
                    Err(error) => {
                        broken = Some(error);
                        break;
                    }
                }
            }
            if have == wheel.bytes {
                return Ok(());
            }
        }
        let why = broken.map_or("it ended too early".to_owned(), |error| escape(&error.to_string()));
        bail!("the download of {} broke off ({why}). Run this again to continue from there", wheel.file)
    }

    fn get(&self, url: &str, from: u64) -> Result<Response<Body>> {
        let mut request = self.agent.get(url).header("Accept", LISTS);
        if from > 0 {
            request = request.header("Range", format!("bytes={from}-"));
        }
        request.call().map_err(|error| {
            anyhow!(
                "cannot reach {}: {}. Connect to the network, or set your proxy (HTTPS_PROXY) or mirror \
                 (GPULEARN_INDEX_URL), and run this again. {WHAT_ELSE}",
                self.shown(),
                escape(&error.to_string())
            )
        })
    }
}

/// Finds the link to a file in PEP 503's page: `<a href="…/FILE#sha256=…">FILE</a>`.
fn link_in_page(page: &str, file: &str) -> Option<String> {
    page.split("href=").skip(1).find_map(|rest| {
        let quote = rest.chars().next().filter(|&c| c == '"' || c == '\'')?;
        let link = rest[1..].split(quote).next()?;
        let path = link.split(['#', '?']).next()?;
        (path.rsplit('/').next()? == file).then(|| link.replace("&amp;", "&"))
    })
}

/// Resolves a link relative to a page, without its fragment.
fn join(page: &str, link: &str) -> String {
    let link = link.split('#').next().unwrap_or(link);
    if link.contains("://") {
        return link.to_owned();
    }
    let (scheme, rest) = page.split_once("://").unwrap_or(("https", page));
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if let Some(elsewhere) = link.strip_prefix("//") {
        return format!("{scheme}://{elsewhere}");
    }
    let mut folders: Vec<&str> = match link.starts_with('/') {
        true => Vec::new(),
        false => path.split('/').rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect(),
    };
    for part in link.trim_start_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    format!("{scheme}://{host}/{}", folders.join("/"))
}

fn without_user(url: &str) -> String {
    match url.split_once("://").map(|(scheme, rest)| (scheme, rest.split_once('/').unwrap_or((rest, "")))) {
        Some((scheme, (host, path))) => {
            let host = host.rsplit('@').next().unwrap_or(host);
            format!("{scheme}://{host}/{path}").trim_end_matches('/').to_owned()
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_joined_as_browsers_do() {
        let page = "https://a.org/root/simple/nvrtc/";
        assert_eq!(join(page, "https://b.org/x.whl#sha256=0"), "https://b.org/x.whl");
        assert_eq!(join(page, "/packages/x.whl"), "https://a.org/packages/x.whl");
        assert_eq!(join(page, "//c.org/x.whl"), "https://c.org/x.whl");
        assert_eq!(join(page, "x.whl"), "https://a.org/root/simple/nvrtc/x.whl");
        assert_eq!(join(page, "../../packages/./x.whl"), "https://a.org/root/packages/x.whl");
        assert_eq!(join(page, "../../../../../x.whl"), "https://a.org/x.whl");
    }

    #[test]
    fn a_link_is_found_in_a_page_by_the_name_of_the_file() {
        let page = "<a href='old/made-1.whl'>made-1.whl</a><a data-x=1 href=\"p/made-2.whl?a=1&amp;b=2#sha256=9\">2</a>";
        assert_eq!(link_in_page(page, "made-2.whl").as_deref(), Some("p/made-2.whl?a=1&b=2#sha256=9"));
        assert_eq!(link_in_page(page, "made-1.whl").as_deref(), Some("old/made-1.whl"));
        assert_eq!(link_in_page(page, "made-3.whl"), None);
    }

    #[test]
    fn a_password_in_the_address_is_not_shown() {
        assert_eq!(Index::at("https://me:secret@a.org/simple/").shown(), "https://a.org/simple");
        assert_eq!(Index::at("https://a.org/simple").shown(), "https://a.org/simple");
    }
}
