// What the warps of a line touch, shown with the line: while the pointer or the focus is on its row, and after a click
// until it is closed. Pictures and words are those of the section, to which the line's number leads without this script.
{
  const panel = document.getElementById("touched");
  const words = document.getElementById("touched-words");
  // Milliseconds in which the pointer may come from the row to the panel.
  const WAY = 300;
  let shown = null;
  let pinned = false;
  let leaving = 0;

  const copy = (figure) => {
    const its = figure.cloneNode(true);
    its.removeAttribute("id");
    // The words below it say the same; an id must not come twice.
    for (const svg of its.querySelectorAll("svg")) {
      svg.removeAttribute("aria-labelledby");
      svg.setAttribute("aria-hidden", "true");
      svg.querySelectorAll("title, desc").forEach((named) => named.remove());
    }
    return its;
  };
  const hide = () => {
    clearTimeout(leaving);
    const back = pinned && panel.contains(document.activeElement) ? shown : null;
    shown?.classList.remove("shown");
    [shown, pinned, panel.hidden] = [null, false, true];
    words.textContent = "";
    back?.querySelector("a").focus();
    // That it has the focus again does not bring it back.
    if (back) hide();
  };
  const show = (row) => {
    clearTimeout(leaving);
    if (row === shown) return;
    shown?.classList.remove("shown");
    shown = row;
    row.classList.add("shown");
    const figures = [...document.querySelectorAll(`#accesses > [data-line="${row.id.slice("line-".length)}"]`)];
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", hide);
    panel.replaceChildren(close, ...figures.map(copy));
    // It covers no line that it tells of.
    panel.classList.toggle("above", row.getBoundingClientRect().top > innerHeight / 2);
    panel.hidden = false;
    panel.scrollTop = 0;
    const said = (figure) => [...figure.querySelectorAll("figcaption, .note")].map((one) => one.textContent).join(". ");
    words.textContent = figures.map((figure) => said(figure) || figure.textContent).join(" ");
  };
  const leave = () => {
    clearTimeout(leaving);
    if (!pinned) leaving = setTimeout(hide, WAY);
  };

  for (const link of document.querySelectorAll('.source a[href^="#touch-"]')) {
    const row = link.closest("tr");
    row.classList.add("touches");
    for (const event of ["pointerenter", "focusin"]) row.addEventListener(event, () => pinned || show(row));
    for (const event of ["pointerleave", "focusout"]) row.addEventListener(event, leave);
    row.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || String(getSelection())) return;
      event.preventDefault();
      show(row);
      pinned = true;
      panel.focus({ preventScroll: true });
      clearTimeout(leaving);
    });
  }
  if (panel) {
    panel.addEventListener("pointerenter", () => clearTimeout(leaving));
    panel.addEventListener("pointerleave", leave);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && shown) hide();
    });
  }
}
