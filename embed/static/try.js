// Makes a form of the body of the endpoint of the page "Try it", sends it and shows the answer.
// The key goes to this server alone, and is kept nowhere.
(() => {
  "use strict";

  const form = document.getElementById("try");
  if (!form) return;
  const { method, path, access, base } = form.dataset;
  const part = (name) => document.getElementById("try-" + name);
  const key = part("key"), body = part("body"), send = part("send"), status = part("status");
  const params = [...form.querySelectorAll("[data-in]")];
  const longest = 200_000;

  // request returns the call as the fields have it.
  const request = () => {
    let address = path;
    const query = new URLSearchParams(), headers = {};
    for (const { dataset, value } of params) {
      if (value === "") continue;
      if (dataset.in === "path") address = address.replace("{" + dataset.name + "}", encodeURIComponent(value));
      else if (dataset.in === "query") query.set(dataset.name, value);
      else headers[dataset.name] = value;
    }
    if (query.size) address += "?" + query;
    if (body) headers["Content-Type"] = "application/json";
    return { address, headers, text: body?.value.trim() };
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

  const answer = part("answer"), headers = part("headers"), more = part("more");
  const show = (text, kind) => {
    status.textContent = text;
    status.className = kind;
  };

  const call = async () => {
    const { address, headers: sent, text } = request();
    if (key?.value) sent["x-api-key"] = key.value.trim();
    show("Sending …", "");
    answer.hidden = more.hidden = send.disabled = true;
    const begun = performance.now();
    try {
      // A call with a key has no cookies, as a program has none.
      const got = await fetch(address, {
        method, headers: sent, body: text, cache: "no-store", redirect: "error",
        credentials: access === "session" ? "same-origin" : "omit",
      });
      const came = await got.text(), took = Math.round(performance.now() - begun), code = got.headers.get("x-error-code");
      show(`${got.status} ${[got.statusText, code].filter((w) => w).join(", ")} in ${took} ms`, got.ok ? "good-text" : "bad-text");
      headers.textContent = [...got.headers].map(([name, value]) => name + ": " + value).join("\n");
      answer.textContent = pretty(came);
      answer.className = "";
      answer.hidden = more.hidden = false;
    } catch (fault) {
      show("It could not be sent: " + fault.message, "bad-text");
    } finally {
      send.disabled = false;
    }
    status.scrollIntoView({ block: "nearest" });
  };

  // The form of a body. build returns an element and read, which returns the value of its
  // fields, undefined if they are empty.
  const make = (name, properties = {}, ...children) => {
    const { attrs = {}, ...rest } = properties;
    const e = Object.assign(document.createElement(name), rest);
    for (const [key, value] of Object.entries(attrs)) e.setAttribute(key, value);
    e.append(...children.filter((c) => c));
    return e;
  };
  let made = 0;
  const typeOf = (schema) => [schema.type].flat().find((t) => t && t !== "null") ?? (schema.properties ? "object" : schema.items ? "array" : "");
  const isPart = (schema) => ["object", "array"].includes(typeOf(schema)) || schema.anyOf !== undefined;

  const pressed = (label, act, more = "") => {
    const b = make("button", { type: "button", className: "quiet" }, label, more && make("span", { className: "unseen" }, more));
    b.addEventListener("click", () => { act(); sync(); });
    return b;
  };

  const loose = (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  };

  // limits says the bounds of a number, and what it is without a value.
  const limits = ({ minimum, maximum, default: without }) => {
    const all = [];
    if (minimum !== undefined && maximum !== undefined) all.push(`From ${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}.`);
    else if (minimum) all.push(`At least ${minimum}.`);
    if (without !== undefined) all.push(`Default ${without}.`);
    return all;
  };

  const field = (schema, name, required) => {
    const id = "body-" + made++, type = typeOf(schema);
    const kind = type === "string" || schema.enum ? "" : type;
    const says = [(schema.description ?? "").replaceAll("`", "").trim(), ...limits(schema)].filter((s) => s).join(" ");
    const label = make("label", { htmlFor: id }, make("code", {}, name), kind && make("span", { className: "kind" }, " " + kind), required && make("span", { className: "must" }, " required"));
    const hint = says && make("p", { className: "hint", id: id + "-hint" }, says);
    return { id, label, hint, attrs: { autocomplete: "off", ...(hint ? { "aria-describedby": id + "-hint" } : {}) } };
  };

  const photo = (input) => {
    const file = make("input", { type: "file", accept: "image/jpeg", attrs: { "aria-label": "A photo for this field", autocomplete: "off" } });
    file.addEventListener("change", () => {
      const reader = new FileReader();
      reader.addEventListener("load", () => {
        input.value = reader.result.slice(reader.result.indexOf(",") + 1);
        sync();
      });
      if (file.files[0]) reader.readAsDataURL(file.files[0]);
    });
    return file;
  };

  const scalar = (schema, value, name, required) => {
    const { id, label, hint, attrs } = field(schema, name, required);
    const type = typeOf(schema);
    const choices = schema.enum ?? (type === "boolean" ? [true, false] : null);
    let input;
    if (choices) {
      input = make("select", { id, attrs }, !(required && value !== undefined) && make("option", { value: "" }, "–"), ...choices.map((c) => make("option", { value: String(c), selected: c === value }, String(c))));
    } else if (schema.maxLength >= 500 && /text|question|description/.test(name)) {
      input = make("textarea", { id, rows: 2, attrs });
    } else {
      const number = type === "number" || type === "integer";
      input = make("input", { id, type: number ? "number" : "text", attrs: { ...attrs, autocapitalize: "none", spellcheck: "false", ...(number ? { step: type === "integer" ? "1" : "any" } : {}) } });
    }
    if (!choices && value !== undefined && value !== null) input.value = typeof value === "string" ? value : JSON.stringify(value);
    const read = () => {
      const text = input.value;
      if (text === "") return undefined;
      if (choices) return choices.find((c) => String(c) === text);
      if (type === "number" || type === "integer") return Number(text);
      return type === "string" ? text : loose(text);
    };
    const wide = input.localName === "textarea" || schema.contentEncoding === "base64";
    return { element: make("div", { className: "field" + (wide ? " full" : "") }, label, input, schema.contentEncoding === "base64" && photo(input), hint), read };
  };

  const ticks = (schema, value, name, required) => {
    const boxes = schema.items.enum.map((c) => make("input", { type: "checkbox", value: c, checked: value?.includes(c) ?? false, id: "body-" + made++ }));
    const element = make("fieldset", { className: "list full" }, legend(name, required), make("div", { className: "ticks" }, ...boxes.map((b) => make("label", { htmlFor: b.id }, b, make("code", {}, b.value)))));
    const read = () => {
      const chosen = boxes.filter((b) => b.checked).map((b) => b.value);
      return chosen.length || value ? chosen : undefined;
    };
    return { element, read };
  };

  const legend = (name, required) => make("legend", {}, make("code", {}, name), required && make("span", { className: "must" }, " required"));

  // choiceOf returns the schema of a list's item that a value is of, by the constants.
  const choicesOf = (schema) => schema.anyOf ?? [schema];
  const choiceOf = (schema, value) => choicesOf(schema).find((c) => Object.entries(c.properties ?? {}).every(([key, p]) => p.const === undefined || value?.[key] === p.const)) ?? choicesOf(schema)[0];
  const titleOf = (schema, name) => (schema.title ?? name).replace(/\.$/, "");

  const list = (schema, value, name, required) => {
    if (schema.items?.enum) return ticks(schema, value, name, required);
    const rows = make("div", { className: "rows-of" }), parts = [];
    const add = (item, one, focus) => {
      const title = titleOf(item, name), part = build(item, one, title, true);
      const row = { part };
      const remove = pressed("Remove", () => {
        parts.splice(parts.indexOf(row), 1);
        row.element.remove();
      }, " " + title);
      row.element = isPart(item)
        ? make("fieldset", { className: "part" }, make("legend", {}, make("span", {}, title), remove), part.element)
        : make("div", { className: "one" }, part.element, remove);
      parts.push(row);
      rows.append(row.element);
      if (focus) row.element.querySelector("input, select, textarea")?.focus();
    };
    for (const one of Array.isArray(value) ? value : []) add(choiceOf(schema.items ?? {}, one), one);
    const adds = choicesOf(schema.items ?? {}).map((item) => pressed("Add " + titleOf(item, "to " + name).toLowerCase(), () => add(item, sampleOf(item), true)));
    const element = make("fieldset", { className: "list full" }, legend(name, required), rows, make("div", { className: "adds" }, ...adds));
    return { element, read: () => parts.length || value ? parts.map((row) => row.part.read() ?? (isPart(schema.items ?? {}) ? {} : "")) : undefined };
  };

  // sampleOf is a new value with what is required of it.
  const sampleOf = (schema) => {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (typeOf(schema) === "array") return schema.minItems ? [sampleOf(choicesOf(schema.items ?? {})[0])] : [];
    if (typeOf(schema) !== "object") return undefined;
    return Object.fromEntries((schema.required ?? []).map((key) => [key, sampleOf(schema.properties?.[key] ?? {})]));
  };

  // extra are the fields of an object that its description does not name.
  const extra = (rows, key, value) => {
    const row = { element: make("div", { className: "one named-value full" }) };
    const input = (label, text) => {
      const id = "body-" + made++;
      const e = make("input", { id, type: "text", value: text, attrs: { autocomplete: "off", autocapitalize: "none", spellcheck: "false" } });
      row.element.append(make("div", { className: "field" }, make("label", { htmlFor: id }, label), e));
      return e;
    };
    const name = input("Field", key), text = input("Value", value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value));
    row.element.append(pressed("Remove", () => {
      rows.splice(rows.indexOf(row), 1);
      row.element.remove();
    }, " " + key));
    row.read = () => name.value === "" ? [] : [[name.value, loose(text.value)]];
    rows.push(row);
    return row.element;
  };

  const object = (schema, value, name, required) => {
    const given = value && typeof value === "object" ? value : {}, known = schema.properties ?? {}, must = schema.required ?? [];
    const first = make("div", { className: "pairs" }), rest = make("div", { className: "pairs" });
    const parts = [], rows = [];
    for (const [key, p] of Object.entries(known)) {
      if (typeOf(p) === "" && [p.type].flat()[0] === "null") continue; // it must be absent
      if (p.const !== undefined) {
        parts.push([key, () => p.const]);
        continue;
      }
      const part = build(p, given[key], key, must.includes(key));
      parts.push([key, part.read]);
      (must.includes(key) || given[key] !== undefined ? first : rest).append(isPart(p) && typeOf(p) === "object" ? make("fieldset", { className: "part full" }, legend(key, must.includes(key)), part.element) : part.element);
    }
    for (const [key, one] of Object.entries(given)) if (!(key in known)) first.append(extra(rows, key, one));
    const more = rest.childElementCount;
    const element = make("div", { className: "pairs-of" }, first,
      more && make("details", {}, make("summary", {}, more === 1 ? "1 more field" : `${more} more fields`), rest),
      schema.additionalProperties && make("div", { className: "adds" }, pressed("Add a field", () => first.append(extra(rows, "", undefined)))));
    const read = () => {
      const out = Object.fromEntries([...parts.map(([key, get]) => [key, get()]), ...rows.flatMap((row) => row.read())].filter(([, one]) => one !== undefined));
      return required || value !== undefined || Object.keys(out).length ? out : undefined;
    };
    return { element, read };
  };

  const build = (schema, value, name, required) => {
    if (schema.anyOf) return build(choiceOf(schema, value), value, name, required);
    switch (typeOf(schema)) {
      case "object": return object(schema, value, name, required);
      case "array": return list(schema, value, name, required);
    }
    return scalar(schema, value, name, required);
  };

  // The form and the JSON are two views of one body: what is typed into one is in the other.
  const place = part("form"), raw = part("raw"), problem = part("problem"), views = part("switch");
  let root;
  const sync = () => {
    body.value = JSON.stringify(root.read() ?? {}, null, 2);
    problem.hidden = true;
    curl();
  };
  const draw = () => {
    root = build(JSON.parse(form.dataset.schema), JSON.parse(body.value), "", true);
    place.replaceChildren(root.element);
  };
  const choose = (view) => {
    problem.hidden = true;
    if (view === "form") {
      try {
        draw();
      } catch (fault) {
        problem.textContent = "The form cannot show this, since it is not JSON: " + fault.message;
        problem.hidden = false;
        return;
      }
    }
    place.hidden = view !== "form";
    raw.hidden = view === "form";
    for (const b of views.children) b.setAttribute("aria-pressed", String(b.dataset.view === view));
  };

  if (body) {
    place.addEventListener("input", sync);
    place.addEventListener("change", sync);
    body.addEventListener("input", () => {
      try {
        if (!place.hidden) draw();
      } catch {
        // It is not JSON yet; the form is drawn anew when it is shown.
      }
    });
    views.addEventListener("click", (event) => {
      const view = event.target.closest("button")?.dataset.view;
      if (view) choose(view);
    });
    views.hidden = false;
    choose("form");
  }
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
