//! Pages in a real browser: `cargo test --test main browser:: -- --ignored`, where Chromium is installed.

use gpulearn::sim::{BlockNeeds, Multiprocessor};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
/// Widths of a phone, a tablet and a desk, in pixels.
const WIDTHS: [u32; 3] = [360, 768, 1280];

fn gpulearn(args: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gpulearn"));
    let output = command.current_dir(ROOT).args(args).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What a script finds that is run in a page beside others: it sees them in frames, as `load(path, width)`, and says
/// what it found by `say`. Fails where any page's script does.
fn found_by(folder: &Path, script: &str) -> String {
    let page = folder.join("test.html");
    let html = format!(
        "<!doctype html><meta charset=\"utf-8\"><pre id=\"said\"></pre><script>
         const say = (text) => {{ document.getElementById('said').textContent += text + '\\n'; }};
         const load = (path, width) => new Promise((done) => {{
           const frame = document.createElement('iframe');
           frame.width = width; frame.height = 800; frame.src = path;
           frame.onload = () => done(frame.contentWindow);
           document.body.append(frame);
         }});
         (async () => {{ {script} }})().catch((error) => say('failed: ' + error)).then(() => say('done'));
         </script>"
    );
    std::fs::write(&page, html).unwrap();
    let program = ["chromium", "chromium-browser", "google-chrome"]
        .iter()
        .find(|name| Command::new(name).arg("--version").output().is_ok())
        .expect("Chromium is installed");
    let output = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"])
        .args(["--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.join("profile").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{console:#?}");
    let dom = String::from_utf8_lossy(&output.stdout);
    let said = dom.split_once("<pre id=\"said\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let said = said.unwrap_or_else(|| panic!("{dom}\n{log}")).0.to_owned();
    assert!(said.ends_with("done\n") && !said.contains("failed"), "{said}");
    said
}

fn site() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    gpulearn(&["book", "-o", site.to_str().unwrap()]);
    (folder, site)
}

#[test]
#[ignore = "needs Chromium"]
fn no_page_of_the_book_is_wider_than_the_screen() {
    let (_folder, site) = site();
    let pages = [
        "index.html",
        "machine.html",
        "glossary.html",
        "claims/N1.html",
        "1-puzzles/map.html",
        "3-memory-and-speed/transpose-tiled.html",
        "9-measuring/occupancy.html",
    ];
    let mut script = String::new();
    for (page, width) in pages.iter().flat_map(|page| WIDTHS.map(|width| (page, width))) {
        write!(
            script,
            "{{ const w = await load('{page}', {width}); const all = w.document.documentElement;
                say('{page} {width} ' + (all.scrollWidth <= all.clientWidth ? 'fits' : 'is ' + all.scrollWidth)); }}"
        )
        .unwrap();
    }
    let said = found_by(&site, &script);
    let fitting = said.lines().filter(|line| line.ends_with(" fits")).count();
    assert_eq!(fitting, pages.len() * WIDTHS.len(), "{said}");
}

#[test]
#[ignore = "needs Chromium"]
fn the_picture_of_the_machine_can_be_read_on_a_phone() {
    let (_folder, site) = site();
    let said = found_by(
        &site,
        "const w = await load('machine.html', 360), svg = w.document.querySelector('svg.picture');
         const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
         say('text of ' + Math.round(parseFloat(w.getComputedStyle(svg).fontSize) * scale) + ' pixels');
         const figure = svg.closest('figure');
         figure.scrollLeft = 100;
         say('scrolled by ' + figure.scrollLeft);",
    );
    assert!(said.contains("text of 13 pixels\n") && said.contains("scrolled by 100\n"), "{said}");
}

#[test]
#[ignore = "needs Chromium"]
fn the_book_is_searched_and_turned_by_keys() {
    let (_folder, site) = site();
    let said = found_by(
        &site,
        "const w = await load('index.html', 1280), d = w.document;
         d.body.dispatchEvent(new w.KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
         say('focus ' + d.activeElement.type);
         const input = d.querySelector('search input');
         input.value = 'bank confl';
         input.dispatchEvent(new w.Event('input', { bubbles: true }));
         say('found ' + [...d.querySelectorAll('#found a')].map((a) => a.getAttribute('href')).join(' '));
         input.value = 'zzzz';
         input.dispatchEvent(new w.Event('input', { bubbles: true }));
         say('zzzz: ' + d.querySelector('#found').textContent);
         input.value = ' ';
         input.dispatchEvent(new w.Event('input', { bubbles: true }));
         say('nothing asked: ' + d.querySelectorAll('#found li').length);
         input.blur();
         const turned = new Promise((done) => { w.frameElement.onload = done; });
         d.body.dispatchEvent(new w.KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
         await turned;
         say('now ' + w.frameElement.contentDocument.location.pathname.split('/').pop());",
    );
    assert!(said.contains("focus search\n") && said.contains("now machine.html\n"), "{said}");
    assert!(said.contains("3-memory-and-speed/bank-conflicts.html"), "{said}");
    assert!(said.contains("zzzz: Nothing found\n") && said.contains("nothing asked: 0\n"), "{said}");
}

#[test]
#[ignore = "needs Chromium"]
fn sliders_say_what_the_simulator_says() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("view.html");
    let file = "tests/wrong/transpose-tiled/unpadded.cu";
    gpulearn(&["view", file, "--lesson", "transpose-tiled", "-o", page.to_str().unwrap()]);
    let sm = Multiprocessor::of(9, 0).unwrap();
    let (mut script, mut expected) =
        (String::from("const w = await load('view.html', 1280), f = w.document.forms[0];"), String::new());
    for (threads, registers, shared_bytes) in [
        (32, 16, 0),
        (256, 32, 0),
        (256, 33, 4096),
        (512, 128, 0),
        (1024, 255, 0),
        (128, 64, 100_000),
        (96, 41, 7_000),
    ] {
        let held = sm.occupancy(BlockNeeds { threads, registers, shared_bytes });
        let limits: Vec<&str> = held.limits.iter().map(|limit| limit.name()).collect();
        let (blocks, warps, percent) = (held.blocks, held.warps, held.percent().round());
        writeln!(
            expected,
            "{blocks} blocks, {warps} of {} warps ({percent:.0} %), held there by {}",
            held.max_warps,
            limits.join(", ")
        )
        .unwrap();
        write!(
            script,
            "f.elements.threads.value = {threads}; f.elements.registers.value = {registers}; f.elements.shared.value = {shared_bytes};
             f.dispatchEvent(new w.Event('input')); say(w.document.getElementById('held').textContent);"
        )
        .unwrap();
    }
    for width in WIDTHS {
        write!(
            script,
            "{{ const w = await load('view.html', {width}), all = w.document.documentElement;
                if (all.scrollWidth > all.clientWidth) say('failed: {width} is ' + all.scrollWidth); }}"
        )
        .unwrap();
    }
    assert_eq!(found_by(folder.path(), &script), expected + "done\n");
}

#[test]
#[ignore = "needs Chromium"]
fn what_a_line_touches_is_shown_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("view.html");
    let file = "tests/wrong/transpose-tiled/unpadded.cu";
    gpulearn(&["view", file, "--lesson", "transpose-tiled", "--seed", "1", "-o", page.to_str().unwrap()]);
    let script = "const w = await load('view.html', 1280), d = w.document;
         const panel = d.getElementById('touched'), status = d.getElementById('touched-words');
         const links = [...d.querySelectorAll('.source a')], rows = links.map((link) => link.closest('tr'));
         const count = (row) => d.querySelectorAll(`#accesses > [data-line='${row.id.slice(5)}']`).length;
         const state = () => panel.hidden ? 'hidden' : `${panel.querySelectorAll('figure').length} figures`;
         const point = (to, kind) => to.dispatchEvent(new w.PointerEvent(kind));
         const key = (to, key) => to.dispatchEvent(new w.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
         const after = (ms) => new Promise((done) => w.setTimeout(done, ms));
         for (const row of rows) {
           point(row, 'pointerenter');
           const all = panel.querySelectorAll('figure').length === count(row) && panel.querySelector('svg');
           const said = /sectors? of 32 bytes|passe?s?/.test(status.textContent) && status.textContent.startsWith(`Line ${row.id.slice(5)}`);
           say(`hover ${all && said && row.classList.contains('shown') ? 'shows' : 'fails: ' + state() + status.textContent}`);
         }
         point(rows.at(-1), 'pointerleave'); point(panel, 'pointerenter'); await after(1000);
         say('with the pointer on it ' + (panel.hidden ? 'it goes' : 'it stays'));
         point(panel, 'pointerleave'); await after(1000); say('left ' + state());
         point(rows[0], 'pointerenter'); key(d.body, 'Escape'); say('escaped ' + state());
         links[0].dispatchEvent(new w.FocusEvent('focusin', { bubbles: true }));
         say('focus ' + (panel.hidden ? 'fails' : 'shows'));
         links[0].dispatchEvent(new w.FocusEvent('focusout', { bubbles: true })); await after(1000); say('blurred ' + state());
         links[0].focus(); links[0].click();
         say('pinned ' + (d.activeElement === panel) + ', at ' + (w.location.hash || 'the top'));
         point(rows.at(-1), 'pointerenter'); say('kept ' + (rows[0].classList.contains('shown')));
         const ids = [...d.querySelectorAll('[id]')].map((one) => one.id);
         say('ids ' + (new Set(ids).size === ids.length ? 'differ' : 'repeat'));
         key(panel, 'Escape'); say('back ' + (d.activeElement === links[0]) + ' ' + state());
         rows[0].querySelector('code').click(); say('row ' + (panel.hidden ? 'fails' : 'shows'));
         panel.querySelector('button').click(); say('closed ' + state());";
    let mut script = script.to_owned();
    for width in WIDTHS {
        write!(
            script,
            "{{ const w = await load('view.html', {width}), all = w.document.documentElement;
                w.document.querySelector('.source a').click();
                say(all.scrollWidth > all.clientWidth ? 'failed: {width} is ' + all.scrollWidth : 'fits'); }}"
        )
        .unwrap();
    }
    let said = found_by(folder.path(), &script);
    let (hovers, rest): (Vec<&str>, Vec<&str>) = said.lines().partition(|line| line.starts_with("hover "));
    // A line loads from `in` and stores to the tile, another loads from it and stores to `out`.
    assert!(hovers.len() == 2 && hovers.iter().all(|line| *line == "hover shows"), "{hovers:#?}");
    let expected = [
        "with the pointer on it it stays",
        "left hidden",
        "escaped hidden",
        "focus shows",
        "blurred hidden",
        "pinned true, at the top",
        "kept true",
        "ids differ",
        "back true hidden",
        "row shows",
        "closed hidden",
        "fits",
        "fits",
        "fits",
        "done",
    ];
    assert_eq!(rest, expected);
}

#[test]
#[ignore = "needs Chromium"]
fn a_block_is_stepped_through_by_keys() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("view.html");
    let file = "tests/wrong/block-sum/missing-barrier.cu";
    gpulearn(&["view", file, "--lesson", "block-sum", "--seed", "1", "-o", page.to_str().unwrap()]);
    let mut script = String::from(
        "const w = await load('view.html', 1280), d = w.document;
         const said = () => d.getElementById('steps-said').textContent;
         const lit = () => d.querySelector('.steps-source [aria-current]')?.dataset.line;
         const button = d.querySelector('[data-go=on]');
         const key = (key) => button.dispatchEvent(new w.KeyboardEvent('keydown', { key, bubbles: true }));
         const shown = () => [said(), lit(), d.getElementById('steps-variables').textContent,
           d.getElementById('steps-warps').textContent, d.getElementById('steps-shared').textContent].join('|');
         say('hidden ' + d.getElementById('steps-view').hidden + ', note ' + !!d.getElementById('steps-note'));
         say('live ' + d.getElementById('steps-said').getAttribute('aria-live'));
         say(said() + ' lit ' + lit());
         const first = shown();
         button.click(); key('ArrowRight');
         say(said() + ' lit ' + lit());
         const third = shown();
         for (let n = 0; n < 20; n++) key('ArrowRight');
         const far = shown();
         for (let n = 0; n < 20; n++) key('ArrowLeft');
         say('back ' + (shown() === third) + ', moved ' + (far !== third));
         key('End'); say(said()); say(d.getElementById('steps-warps').textContent);
         key('ArrowRight'); say(said());
         key('Home'); say('home ' + (shown() === first));",
    );
    for width in WIDTHS {
        write!(
            script,
            "{{ const w = await load('view.html', {width}), all = w.document.documentElement;
                if (all.scrollWidth > all.clientWidth) say('failed: {width} is ' + all.scrollWidth); }}"
        )
        .unwrap();
    }
    let said = found_by(folder.path(), &script);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[..2], ["hidden false, note false", "live polite"], "{said}");
    assert!(
        lines[2].starts_with("Stop 1 of ") && lines[2].ends_with("warp 0, line 3, all its lanes. lit 3"),
        "{said}"
    );
    assert!(lines[3].starts_with("Stop 3 of ") && lines[3].contains("line 6"), "{said}");
    assert_eq!(lines[4], "back true, moved true", "{said}");
    assert!(lines[5].ends_with("the end of the run.") && lines[7] == lines[5], "{said}");
    assert_eq!((lines[6], lines[8]), ("warp 0has left", "home true"), "{said}");
}
