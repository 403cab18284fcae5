// The page of the report service: sends a folder, follows its milestones, shows what came of it. No library.

const $ = (id) => document.getElementById(id);
const MARKS = { planned: "·", started: "▸", done: "✓", skipped: "–" };
const TABS = [["report.pdf", "Report"], ["checks.md", "Check list"], ["report.log", "TeX log"], ["report.tex", "Source"]];
const IN_FLIGHT = 4;
let about = null;
let current = null;
let source = null;

async function ask(path, options = {}) {
  const answer = await fetch(path, options);
  if (!answer.ok) {
    const said = await answer.json().catch(() => ({}));
    throw new Error(said.message || `${answer.status} ${answer.statusText}`);
  }
  return answer.status === 204 ? null : answer.json();
}

const post = (path, body = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

function fail(error) {
  $("error").textContent = error ? error.message || String(error) : "";
  $("error").hidden = !error;
}

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// --- the list ---

async function refresh() {
  about = await ask("api/about");
  $("limits").textContent = `At most ${about.most_files} files and ${about.most_bytes / 2 ** 20} MiB.`;
  $("model-choice").hidden = $("rounds-choice").hidden = !about.has_model;
  $("none").hidden = about.reports.length > 0;
  $("list").replaceChildren(
    ...about.reports.map((report) => {
      const button = element("button", { type: "button", "aria-current": String(report.id === current) }, report.name, badge(report.status));
      button.addEventListener("click", () => choose(report.id).catch(fail));
      return element("li", {}, button);
    }),
  );
}

const badge = (status) => element("span", { class: `status ${status}` }, status);

// --- sending a folder ---

async function entriesOf(entry, path = "") {
  const name = path ? `${path}/${entry.name}` : entry.name;
  if (entry.isFile) return [[name, await new Promise((yes, no) => entry.file(yes, no))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((yes, no) => reader.readEntries(yes, no));
    if (!some.length) return found;
    for (const child of some) found.push(...(await entriesOf(child, name)));
  }
}

async function send(named) {
  if (!named.length) throw new Error("There is no file in it.");
  const tops = new Set(named.map(([path]) => (path.includes("/") ? path.split("/")[0] : "")));
  const top = tops.size === 1 ? [...tops][0] : "";
  const report = await post("api/reports", { name: top || (named.length === 1 ? named[0][0] : `${named.length} files`) });
  const waiting = named.map(([path, file]) => [top ? path.slice(top.length + 1) : path, file]);
  const total = waiting.length;
  const refused = [];
  let sent = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      for (let next = waiting.pop(); next; next = waiting.pop()) {
        const [path, file] = next;
        try {
          await ask(`api/reports/${report.id}/files?path=${encodeURIComponent(path)}`, { method: "PUT", body: file });
        } catch (error) {
          refused.push(`${path}: ${error.message}`);
        }
        sent += 1;
        $("sending").textContent = `${sent} of ${total} files`;
      }
    }),
  );
  $("sending").textContent = `${total - refused.length} of ${total} files were taken.`;
  await refresh();
  await choose(report.id);
  if (refused.length) fail(new Error(`Not taken: ${refused.slice(0, 5).join("; ")}`));
  $("start").focus();
}

function taken(work) {
  fail(null);
  work.catch(fail);
}

for (const id of ["folder", "files"]) {
  $(id).addEventListener("change", (event) => {
    const named = [...event.target.files].map((file) => [file.webkitRelativePath || file.name, file]);
    event.target.value = "";
    taken(send(named));
  });
}
for (const kind of ["dragenter", "dragover"]) {
  document.addEventListener(kind, (event) => { event.preventDefault(); $("drop").classList.add("over"); });
}
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").classList.remove("over"); });
document.addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").classList.remove("over");
  const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
  taken(Promise.all(entries.map((entry) => entriesOf(entry))).then((found) => send(found.flat())));
});

// --- one report ---

async function choose(id) {
  fail(null);
  current = id;
  source?.close();
  $("milestones").replaceChildren();
  $("messages").replaceChildren();
  $("now").textContent = "";
  $("bar").value = 0;
  $("welcome").hidden = true;
  $("report").hidden = false;
  const report = await ask(`api/reports/${id}`);
  for (const button of $("list").querySelectorAll("button")) button.setAttribute("aria-current", "false");
  await refresh();
  show(report);
  if (report.status !== "new") follow(id);
}

function show(report) {
  if (report.id !== current) return;
  const running = report.status === "running";
  $("name").textContent = report.name;
  $("status").className = `status ${report.status}`;
  $("status").textContent = report.status;
  $("reason").textContent = report.reason;
  $("settings").querySelectorAll("input, select").forEach((field) => { field.disabled = running; });
  $("start").disabled = running;
  $("start").textContent = { new: "Make the report", stopped: "Continue", incomplete: "Continue", complete: "Make it again" }[report.status] || "Working";
  $("stop").hidden = !running;
  $("work").hidden = report.status === "new";
  $("result").hidden = running || !report.files.length;
  if (!$("result").hidden) results(report);
}

function results(report) {
  const address = (name) => `api/reports/${report.id}/files/${name}`;
  const links = [["report.zip", "Download the zip"], ["report.pdf", "Open the PDF"], ["trace.json", "Trace"]].filter(([name]) => report.files.includes(name));
  $("downloads").replaceChildren(
    ...links.map(([name, label]) => element("a", { href: address(name), class: name === "report.zip" ? "" : "quiet", ...(name === "report.zip" ? { download: "" } : { target: "_blank", rel: "noopener" }) }, label)),
  );
  const tabs = TABS.filter(([name]) => report.files.includes(name));
  const open = (wanted) => {
    for (const tab of $("tabs").children) {
      const chosen = tab.dataset.name === wanted;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) $("panel").setAttribute("aria-labelledby", tab.id);
    }
    read(address(wanted), wanted).catch(fail);
  };
  $("tabs").replaceChildren(
    ...tabs.map(([name, label]) => {
      const tab = element("button", { type: "button", role: "tab", id: `tab-${name}`, "data-name": name, "aria-controls": "panel" }, label);
      tab.addEventListener("click", () => open(name));
      tab.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const all = [...$("tabs").children];
        const next = all[(all.indexOf(tab) + step + all.length) % all.length];
        next.focus();
        open(next.dataset.name);
      });
      return tab;
    }),
  );
  if (tabs.length) open(tabs[0][0]);
}

async function read(address, name) {
  if (name === "report.pdf") {
    // A phone has no viewer inside a page, and some browsers have none at all.
    const viewer = navigator.pdfViewerEnabled !== false && !matchMedia("(max-width: 48rem)").matches;
    const link = element("a", { href: address, target: "_blank", rel: "noopener" }, "Open the PDF");
    $("panel").replaceChildren(
      viewer ? element("iframe", { src: `${address}#view=FitH&navpanes=0`, title: "The report as PDF" }) : element("p", { class: "row" }, link),
    );
    return;
  }
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  $("panel").replaceChildren(element("pre", {}, await answer.text()));
}

function follow(id) {
  source?.close();
  // The browser asks again by itself, with the number of the last event it saw.
  const listening = new EventSource(`api/reports/${id}/events`);
  source = listening;
  listening.onmessage = (message) => { if (id === current) told(JSON.parse(message.data)); };
  listening.addEventListener("rest", (message) => {
    listening.close();
    if (id === current) show(JSON.parse(message.data));
    refresh().catch(fail);
  });
}

function told(event) {
  if (event.kind === "planned") {
    $("milestones").replaceChildren(
      ...event.stages.map((stage) => element("li", { class: "planned", "data-stage": stage }, element("span", { class: "mark", "aria-hidden": "true" }, MARKS.planned), element("span", { class: "name" }, stage), element("span", { class: "note" }))),
    );
  }
  const item = [...$("milestones").children].find((one) => one.dataset.stage === event.stage);
  if (item && MARKS[event.kind] && event.kind !== "planned") {
    item.className = event.kind;
    item.querySelector(".mark").textContent = MARKS[event.kind];
    item.toggleAttribute("aria-current", event.kind === "started");
  }
  if (item && event.note && event.kind !== "ended") item.querySelector(".note").textContent = event.note;
  if (event.note) $("messages").append(element("li", { class: event.kind }, `${event.stage}: ${event.note}`));
  $("bar").value = event.percent;
  $("now").textContent = event.kind === "ended" ? (event.status === "complete" ? "Done." : "Incomplete.") : `${event.index} of ${event.total}: ${event.stage}`;
}

$("settings").addEventListener("submit", async (event) => {
  event.preventDefault();
  fail(null);
  const form = event.target.elements;
  const wish = Object.fromEntries(["template", "language", "title", "author"].map((name) => [name, form[name].value]));
  for (const name of ["figures", "appendix", "compile", "model"]) wish[name] = form[name].checked;
  wish.rounds = Number(form.rounds.value);
  $("start").disabled = true;
  try {
    const report = await post(`api/reports/${current}/start`, wish);
    $("result").hidden = true;
    show(report);
    follow(report.id);
    await refresh();
  } catch (error) {
    $("start").disabled = false;
    fail(error);
  }
});

$("stop").addEventListener("click", () => post(`api/reports/${current}/stop`).then(show).catch(fail));

refresh()
  .then(() => { if (about.reports.length) return choose(about.reports[0].id); })
  .catch(fail);
