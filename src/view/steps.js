// A block step by step: each stop says what is new, so the page knows all by going through those before it.
{
  const view = document.getElementById("steps-view");
  if (view) {
    const data = JSON.parse(document.getElementById("steps-data").textContent);
    const { warps, variables, shared, stops } = data;
    const byId = (id) => document.getElementById(id);
    const element = (name, text, more = {}) => Object.assign(document.createElement(name), { textContent: text ?? "" }, more);
    const has = (mask, lane) => ((mask >>> lane) & 1) === 1;
    const count = (mask) => { let n = 0; for (let lane = 0; lane < 32; lane++) n += has(mask, lane); return n; };

    let at = -1;
    let state;
    const reset = () => {
      at = -1;
      state = {
        values: warps.map(() => ({})),
        groups: warps.map(() => []),
        shared: shared.map(([, , n]) => new Array(n).fill("?")),
        changed: new Set(),
      };
    };
    const take = (stop) => {
      Object.assign(state.values[stop.w], stop.v);
      for (const [warp, groups] of stop.g ?? []) state.groups[warp] = groups;
      state.changed = new Set();
      for (const [array, index, value] of stop.s ?? []) {
        state.shared[array][index] = value;
        state.changed.add(array + ":" + index);
      }
    };
    const go = (to) => {
      if (to < at || at < 0) reset();
      while (at < to) take(stops[++at]);
      show();
    };

    const where = ([mask, way, line], exist) => {
      const who = mask === exist ? "" : `${count(mask)} lanes `;
      const place = line ? ` line ${line}` : "";
      const text = { runs: `at${place}`, waits: `wait at the barrier,${place}`, stuck: `wait for ever,${place}`,
        stopped: `stopped at${place}`, left: "have left" }[way];
      return who + (who ? text : text.replace(/^wait /, "waits ").replace("have", "has"));
    };

    const dots = (mask, exist) => {
      const row = element("span", null, { className: "dots" });
      for (let lane = 0; lane < 32; lane++) {
        const state = !has(exist, lane) ? "none" : has(mask, lane) ? "runs" : "idle";
        row.append(element("i", lane, { className: state }));
      }
      return row;
    };

    const lane_table = (value, mask, exist) => {
      if (typeof value === "string") return element("span", `${value}, in all lanes`);
      const grid = element("span", null, { className: "lanes" });
      value.forEach((one, lane) => {
        if (has(exist, lane)) grid.append(element("span", one, { className: has(mask, lane) ? "" : "idle", title: `lane ${lane}` }));
      });
      return grid;
    };

    const show = () => {
      const stop = stops[at];
      const exist = warps[stop.w] >>> 0;
      const last = at === stops.length - 1 && !stop.l;
      const lanes = stop.m === exist ? "all its lanes" : `${count(stop.m)} of ${count(exist)} lanes`;
      let text = `Stop ${at + 1} of ${stops.length}: `;
      text += last ? "the end of the run." : `warp ${stop.w}, line ${stop.l}, ${lanes}.`;
      for (const [mask, line] of stop.p ?? []) text += ` ${count(mask)} lanes go to line ${line}.`;
      const changed = state.changed.size;
      if (changed) text += ` ${changed} shared ${changed === 1 ? "element" : "elements"} changed since the last stop.`;
      byId("steps-said").textContent = text;
      byId("steps-lanes").replaceChildren(dots(stop.m, exist));

      for (const line of view.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
      const source = view.querySelector(".steps-source");
      const line = source.querySelector(`[data-line="${stop.l}"]`);
      if (line) {
        line.setAttribute("aria-current", "step");
        const top = line.offsetTop - source.offsetTop;
        if (top < source.scrollTop || top > source.scrollTop + source.clientHeight - 40) source.scrollTop = top - 60;
      }

      const rows = stop.k.map((number) => {
        const row = element("tr");
        const [name, type] = variables[number];
        const head = element("th", null, { scope: "row" });
        head.append(element("code", name), element("small", " " + type));
        const cell = element("td");
        cell.append(lane_table(state.values[stop.w][number] ?? "?", stop.m, exist));
        row.append(head, cell);
        return row;
      });
      byId("steps-variables").tBodies[0].replaceChildren(...rows);

      const all = warps.map((mask, warp) => {
        const row = element("tr", null, { className: warp === stop.w && !last ? "here" : "" });
        const text = state.groups[warp].map((group) => where(group, mask)).join("; ");
        row.append(element("th", `warp ${warp}`, { scope: "row" }), element("td", text));
        return row;
      });
      byId("steps-warps").tBodies[0].replaceChildren(...all);

      const arrays = shared.map(([name, type, kept, total], number) => {
        const part = element("div");
        const grid = element("div", null, { className: "shared", tabIndex: 0 });
        state.shared[number].forEach((value, index) => {
          const className = state.changed.has(number + ":" + index) ? "new" : "";
          grid.append(element("span", value, { className, title: `${name}[${index}]` }));
        });
        const more = kept < total ? `, the first ${kept} of ${total} elements` : "";
        part.append(element("h3", `Shared: ${name} (${type})${more}`), grid);
        return part;
      });
      byId("steps-shared").replaceChildren(...arrays);

      for (const [name, off] of [["first", at === 0], ["back", at === 0], ["on", next(1) === null], ["last", next(1) === null]]) {
        view.querySelector(`[data-go="${name}"]`).setAttribute("aria-disabled", String(off));
      }
    };

    const follows = (stop) => {
      const warp = byId("steps-warp").value;
      return warp === "" || stop.w === Number(warp) || !stop.l;
    };
    const next = (by) => {
      for (let to = at + by; to >= 0 && to < stops.length; to += by) if (follows(stops[to])) return to;
      return null;
    };
    const move = (where) => {
      const to = { first: 0, back: next(-1), on: next(1), last: stops.length - 1 }[where];
      if (to !== null && to !== undefined) go(to);
    };

    warps.forEach((_, warp) => byId("steps-warp").append(element("option", `warp ${warp}`, { value: String(warp) })));
    byId("steps-warp").addEventListener("change", () => {
      if (!follows(stops[at])) go(next(1) ?? next(-1) ?? 0); else show();
    });
    view.addEventListener("click", (event) => {
      const button = event.target.closest("[data-go]");
      if (button) move(button.dataset.go);
    });
    byId("steps-keys").addEventListener("keydown", (event) => {
      if (event.target.closest("select") || event.ctrlKey || event.altKey || event.metaKey) return;
      const where = { Home: "first", ArrowLeft: "back", ArrowRight: "on", End: "last" }[event.key];
      if (where) { event.preventDefault(); move(where); }
    });
    byId("steps-note").remove();
    view.hidden = false;
    go(0);
  }
}
