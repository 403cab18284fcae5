async function load(id) {
  await fetch(`/api/items/${id}`);
  await fetch("/api/items/" + id, { method: "PUT" });
  await fetch(`/api/items/${id}`, { method: "DELETE" }); // expect: endpoint-method
  await fetch("/login"); // expect: endpoint-method
  await fetch("/logout", { method: "POST" }); // expect: endpoint-unknown
  const options = { method: "DELETE" };
  await fetch("/login", options);
  const request = new XMLHttpRequest();
  request.open("GET", "/login"); // expect: endpoint-method
}
