// Sends the endpoint of the page "Try it" and shows the answer. The key goes to this server
// alone, and is kept nowhere.
(() => {
  "use strict";

  const form = document.getElementById("try");
  if (!form) return;
  const { method, path, access, base } = form.dataset;
  const part = (name) => document.getElementById("try-" + name);
  const key = part("key"), body = part("body"), send = part("send"), status = part("status");
  const fields = [...form.querySelectorAll("[data-in]")];
  const longest = 200_000;

  // request returns the call as the fields have it.
  const request = () => {
    let address = path;
    const query = new URLSearchParams(), headers = {};
    for (const { dataset, value } of fields) {
      if (value === "") continue;
      if (dataset.in === "path") address = address.replace("{" + dataset.name + "}", encodeURIComponent(value));
      else if (dataset.in === "query") query.set(dataset.name, value);
      else headers[dataset.name] = value;
    }
    if (query.size) address += "?" + query;
    if (body) headers["Content-Type"] = "application/json";
    return { address, headers, text: body?.value };
  };

  const quote = (text) => "'" + text.replaceAll("'", `'\\''`) + "'";
  const curl = () => {
    const { address, headers, text } = request();
    const lines = ["curl -sS" + (method === "GET" || method === "POST" && body ? "" : " -X " + method) + " " + quote(base + address)];
    if (access === "key") lines.push('  -H "x-api-key: $SVC_KEY"');
    if (access === "session") lines.push(`  -H "Cookie: ${base.startsWith("https:") ? "__Host-" : ""}svc_session=$SVC_SESSION"`);
    for (const [name, value] of Object.entries(headers)) lines.push("  -H " + quote(name + ": " + value));
    if (text !== undefined) lines.push("  -d " + quote(text));
    part("curl").textContent = lines.join(" \\\n");
  };

  const pretty = (text) => {
    try {
      text = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // It is shown as it came.
    }
    return text.length > longest ? text.slice(0, longest) + "\n…" : text;
  };

  const show = (name, text) => {
    part(name).textContent = text;
    part(name).hidden = text === "";
  };

  const call = async () => {
    const { address, headers, text } = request();
    if (key?.value) headers["x-api-key"] = key.value.trim();
    status.textContent = "Sending …";
    show("headers", "");
    show("answer", "");
    send.disabled = true;
    const begun = performance.now();
    try {
      // A call with a key has no cookies, as a program has none.
      const answer = await fetch(address, {
        method, headers, body: text, cache: "no-store", redirect: "error",
        credentials: access === "session" ? "same-origin" : "omit",
      });
      const came = await answer.text();
      status.textContent = `${answer.status} ${answer.statusText} in ${Math.round(performance.now() - begun)} ms`;
      show("headers", [...answer.headers].map(([name, value]) => name + ": " + value).join("\n"));
      show("answer", pretty(came));
    } catch (problem) {
      status.textContent = "It could not be sent: " + problem.message;
    } finally {
      send.disabled = false;
    }
  };

  form.addEventListener("input", curl);
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.target.localName === "input" || event.ctrlKey)) {
      event.preventDefault();
      call();
    }
  });
  send.addEventListener("click", call);
  send.hidden = false;
})();
