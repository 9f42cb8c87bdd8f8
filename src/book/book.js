// The search, and keys: s or / to search, arrows to turn pages. The pages can be read without.
"use strict";
const root = document.body.dataset.root;
const box = document.querySelector("search");
const input = box.querySelector("input");
const list = box.querySelector("ol");
box.hidden = false;

if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".contents").open = false;

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const score = ([, title, all]) => {
    const head = title.toLowerCase();
    let sum = 0;
    for (const word of words) {
      if (head.includes(word)) sum += 3;
      else if ((" " + all).includes(" " + word)) sum += 1;
      else return 0;
    }
    return sum;
  };
  return BOOK_INDEX.map((entry) => [score(entry), entry]).filter(([sum]) => sum > 0)
    .sort((a, b) => b[0] - a[0]).slice(0, 12).map(([, entry]) => entry);
}

input.addEventListener("input", () => {
  const found = find(input.value).map(([path, title]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = root + path;
    link.textContent = title;
    item.append(link);
    return item;
  });
  if (!found.length && input.value.trim()) {
    const item = document.createElement("li");
    item.className = "nothing";
    item.textContent = "Nothing found";
    found.push(item);
  }
  list.replaceChildren(...found);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape" && box.contains(document.activeElement)) {
    input.value = "";
    list.replaceChildren();
    input.blur();
    return;
  }
  if (box.contains(event.target)) {
    if (event.key === "Enter" && event.target === input) list.querySelector("a")?.click();
    return;
  }
  if (event.target.matches("pre, figure, .table, input, select, textarea")) return;
  if (event.key === "s" || event.key === "/") {
    event.preventDefault();
    input.focus();
  }
  const turn = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (turn) document.querySelector(`.arrows a[rel=${turn}]`)?.click();
});
