// How many blocks a multiprocessor holds, as src/sim/occupancy.rs works it out.
"use strict";
const form = document.getElementById("sliders");
if (form) {
  const sm = JSON.parse(form.dataset.sm);
  const roundUp = (n, unit) => Math.ceil(n / unit) * unit;
  const occupancy = (threads, registers, shared) => {
    const warps = Math.max(1, Math.ceil(threads / 32));
    const byRegisters = Math.floor((Math.floor(sm.registers / 4 / roundUp(registers * 32, 256)) * 4) / warps);
    const aBlock = roundUp(shared + sm.sharedReserved, sm.sharedUnit);
    const byShared = shared > sm.sharedPerBlock ? 0 : aBlock === 0 ? Infinity : Math.floor(sm.shared / aBlock);
    const all = [["threads", Math.floor(sm.warps / warps)], ["blocks", sm.blocks], ["registers", byRegisters], ["shared", byShared]];
    const blocks = Math.min(...all.map(([, n]) => n));
    const limits = all.filter(([, n]) => n === blocks).map(([name]) => name);
    const held = blocks * warps;
    return `${blocks} blocks, ${held} of ${sm.warps} warps (${Math.round((100 * held) / sm.warps)} %), held there by ${limits.join(", ")}`;
  };
  form.hidden = false;
  form.addEventListener("input", () => {
    for (const input of form.querySelectorAll("input")) input.parentElement.querySelector("output").textContent = input.value;
    const value = (name) => Number(form.elements[name].value);
    document.getElementById("held").textContent = occupancy(value("threads"), value("registers"), value("shared"));
  });
  form.dispatchEvent(new Event("input"));
}
