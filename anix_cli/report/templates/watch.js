"use strict";
const at = (id) => document.getElementById(id);
const shown = {};
function show(id, address) {
  if (!address || shown[id] === address) return;
  shown[id] = address;
  at(id).src = address;
  at(id).hidden = false;
}
function tell(state) {
  at("title").textContent = state.title || at("title").textContent;
  at("phase").textContent = state.message ? state.phase + ": " + state.message : state.phase;
  at("problems").textContent = state.problems.join("\n");
  at("problems").hidden = !state.problems.length;
  show("frame", state.frame);
  at("frame").alt = state.shot ? "First new frame of " + state.shot : "";
  at("shot").textContent = state.frame ? "first new frame: " + state.shot : "";
  show("film", state.film);
  at("draft").hidden = !state.film;
  show("report", state.report);
  if (state.report) { at("open").href = state.report; at("open").hidden = false; }
}
async function follow() {
  let version = -1;
  for (;;) {
    try {
      const answer = await fetch("/state?after=" + version);
      const state = await answer.json();
      version = state.version;
      tell(state);
    } catch {
      at("phase").textContent = "anix watch has ended";
      version = -1;
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}
follow();
