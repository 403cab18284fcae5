const amount = document.getElementById("amount");
document.getElementById("sum").textContent = amount.value; // expect: element-missing
document.querySelector("#hint")?.remove(); // expect: element-missing DISMISSED
const note = document.getElementById("note"); // expect: element-missing DISMISSED
if (note) {
  note.remove();
}

function show(rows) {
  const list = document.getElementById("total");
  list.innerHTML = "<b>none</b>";
  list.innerHTML = `<b>${"none"}</b>`;
  list.innerHTML = "<b>" + location.hash.slice(1) + "</b>"; // expect: dom-html-injection
  const query = new URLSearchParams(location.search).get("q");
  list.insertAdjacentHTML("beforeend", `<i>${query}</i>`); // expect: dom-html-injection
  list.innerHTML = DOMPurify.sanitize(query); // expect: dom-html-injection DISMISSED
  list.innerHTML = rows; // expect: dom-html-injection UNCERTAIN
  list.textContent = rows;
}
