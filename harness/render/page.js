"use strict";
(() => {
  const form = document.getElementById("filters");
  const cards = [...document.querySelectorAll("article")];
  const groups = [...document.querySelectorAll(".group")];
  const theme = document.getElementById("theme");

  theme.hidden = false;
  theme.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  for (const element of document.querySelectorAll(".keys")) element.hidden = false;

  function visible() {
    return cards.filter((card) => !card.hidden);
  }

  function apply() {
    const data = new FormData(form);
    const severities = new Set(data.getAll("severity"));
    const verdicts = new Set(data.getAll("verdict"));
    const dimension = data.get("dimension");
    const tier = data.get("tier");
    const words = data.get("q").toLowerCase().split(/\s+/).filter(Boolean);
    for (const card of cards) {
      const d = card.dataset;
      card.hidden = !(
        severities.has(d.severity) &&
        verdicts.has(d.verdict) &&
        (!tier || d.tier === tier) &&
        (!dimension || JSON.parse(d.dimension).includes(dimension)) &&
        words.every((word) => d.search.includes(word))
      );
    }
    for (const group of groups) group.hidden = !group.querySelector("article:not([hidden])");
    const count = visible().length;
    document.getElementById("shown").textContent = count + " of " + cards.length + " findings";
    document.getElementById("nothing").hidden = count > 0;
  }

  // A link to one finding shows it, whatever the filters say.
  function reveal() {
    const target = location.hash.startsWith("#f-") && document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.hidden) {
      target.hidden = false;
      target.closest(".group").hidden = false;
    }
    target.scrollIntoView();
  }

  function step(by) {
    const shown = visible();
    if (!shown.length) return;
    const here = shown.indexOf(document.activeElement.closest("article"));
    const next = shown[Math.min(Math.max(here + by, 0), shown.length - 1)];
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "start" });
  }

  function onKey(event) {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "Escape" && typing) typing.blur();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      form.querySelector("details").open = true;
      form.elements.q.focus();
    } else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
    else if (event.key === "o") {
      const card = document.activeElement.closest("article");
      const proof = card && card.querySelector(".proof");
      if (proof) proof.open = !proof.open;
    }
  }

  if (form) {
    form.hidden = false;
    if (matchMedia("(max-width: 36rem)").matches) form.querySelector("details").open = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", () => setTimeout(apply));
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", reveal);
    apply();
    reveal();
  }

  // Paper folds nothing.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const element of folded) element.open = true;
  });
  addEventListener("afterprint", () => {
    for (const element of folded) element.open = false;
  });
})();
