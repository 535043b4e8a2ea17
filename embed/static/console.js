// Comforts of the console's pages, which work without them: copying, files that are
// dropped, the search of Ctrl-K and the keyboard.
(() => {
  "use strict";

  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // element makes an element with properties, attributes (in `attrs`) and children.
  const element = (name, { attrs = {}, ...properties } = {}, ...children) => {
    const e = Object.assign(document.createElement(name), properties);
    for (const [key, value] of Object.entries(attrs)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  };

  // Copying: <button data-copy="id of the text">, or <button data-copy-text="the text">.
  const copy = async (button) => {
    const name = button.textContent;
    const shown = document.getElementById(button.dataset.copy ?? "") ?? button.previousElementSibling;
    const text = button.dataset.copyText ?? shown.textContent.trim();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      shown.textContent = text; // an id may have been cut
      getSelection().selectAllChildren(shown);
      button.textContent = "Press Ctrl C";
    }
    setTimeout(() => { button.textContent = name; }, 2_000);
  };

  // Cancel closes what asks once whether it is meant; without this script it is a link.
  document.addEventListener("click", (event) => {
    const fold = event.target.closest("details [data-cancel]")?.closest("details");
    if (!fold) return;
    event.preventDefault();
    fold.open = false;
    fold.querySelector("summary").focus();
  });

  // A file that is dropped on .drop is that of its field.
  const drops = (place) => {
    const field = place.querySelector("input[type=file]");
    if (!field) return;
    const over = (on) => (event) => { event.preventDefault(); place.classList.toggle("over", on); };
    place.addEventListener("dragover", over(true));
    place.addEventListener("dragleave", over(false));
    place.addEventListener("drop", (event) => {
      over(false)(event);
      field.files = event.dataTransfer.files;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  };

  // On a phone a form that is sent closes the keyboard: htmx would give its field the focus back.
  const wide = matchMedia("(min-width: 52.01rem)");
  document.addEventListener("submit", () => {
    if (!wide.matches && document.activeElement?.matches("input, textarea")) document.getElementById("main").focus({ preventScroll: true });
  }, true);

  // prepare serves what the page has, and what htmx adds to it.
  const prepare = (root) => {
    for (const button of all("[data-copy], [data-copy-text]", root)) button.hidden = false;
    for (const place of all(".drop", root)) drops(place);
    // Cancel closes what asks once whether it is meant.
    for (const form of all("details.confirm > form, details.confirm > div", root)) {
      const act = all("button", form).pop();
      if (!act || form.querySelector("[data-cancel]")) continue;
      const acts = element("div", { className: "actions" });
      act.replaceWith(acts);
      acts.append(act, element("button", { type: "button", textContent: "Cancel", attrs: { "data-cancel": "" } }));
    }
    if (wide.matches) {
      const field = root.querySelector("[data-focus]");
      field?.focus({ preventScroll: true });
      field?.select();
    }
  };

  const dialogOf = (label, ...children) => {
    const dialog = element("dialog", { attrs: { "aria-label": label } }, ...children);
    dialog.addEventListener("close", () => dialog.remove());
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
    document.body.append(dialog);
    dialog.showModal();
    return dialog;
  };

  // The search: the pages of the sidebar at once, and what the server finds, in its groups.
  const group = (title, links) => links.length ? [element("div", { attrs: { role: "group", "aria-label": title } },
    element("p", { className: "label", textContent: title, attrs: { "aria-hidden": "true" } }), ...links)] : [];

  const pages = (typed) => group("Pages", all("#menu a[href^='/']")
    .filter((a) => a.textContent.toLowerCase().includes(typed))
    .map((a) => element("a", { href: a.getAttribute("href") }, a.querySelector("svg").cloneNode(true), element("span", { textContent: a.textContent }))));

  // things returns what the server finds, with what else to do if that is nothing.
  const things = async (typed, signal) => {
    const answer = await fetch("/console/search?q=" + encodeURIComponent(typed), { signal });
    if (!answer.ok) return [];
    const body = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    const links = (part) => all("a[href^='/']", part).map((a) => { a.className = ""; return document.importNode(a, true); });
    return all("#results section, #results .empty", body).filter((part) => part.querySelector("h2").textContent !== "Pages")
      .flatMap((part) => [...group(part.querySelector("h2").textContent, links(part)), ...all(":scope > p:not(.actions)", part).map((p) => { p.className = "hint"; return document.importNode(p, true); })]);
  };

  const search = () => {
    const field = element("input", { type: "search", placeholder: document.querySelector("#menu summary") ? "Find a page, a product, a question" : "Find a page, a product, a request, a key", autocomplete: "off", attrs: { role: "combobox", "aria-label": "Search", "aria-controls": "found", "aria-expanded": "true", "aria-autocomplete": "list" } });
    const found = element("div", { className: "found", id: "found", attrs: { role: "listbox", "aria-label": "Found" } });
    const told = element("p", { className: "unseen", attrs: { role: "status" } });
    const keys = element("p", { className: "keys hint", attrs: { "aria-hidden": "true" } });
    for (const [key, does] of [["↑ ↓", "choose"], ["Enter", "open"], ["Esc", "close"]]) keys.append(element("span", {}, element("kbd", { textContent: key }), " " + does));
    const dialog = dialogOf("Search", field, found, told, keys);
    let running = new AbortController();
    let waits = false; // Enter was pressed before the server has answered

    const links = () => all("a", found);
    const choose = (index) => {
      links().forEach((a, i) => {
        a.id = "found-" + i;
        a.tabIndex = -1;
        a.setAttribute("role", "option");
        a.setAttribute("aria-selected", String(i === index));
      });
      const link = links()[index];
      if (link) field.setAttribute("aria-activedescendant", link.id);
      else field.removeAttribute("aria-activedescendant");
      if (index === 0) found.scrollTop = 0;
      else link?.scrollIntoView({ block: "nearest" });
    };
    const chosen = () => links().findIndex((a) => a.getAttribute("aria-selected") === "true");

    // What the last search found stays until this one has its answer, so that nothing jumps.
    const find = async () => {
      running.abort();
      running = new AbortController();
      const { signal } = running;
      const typed = field.value.trim().toLowerCase();
      const known = pages(typed);
      waits = false;
      if (!typed || known.length) found.replaceChildren(...known);
      found.toggleAttribute("data-old", typed !== "" && !known.length);
      choose(0);
      if (!typed) return;
      try {
        const more = await things(typed, signal);
        if (signal.aborted) return;
        const at = known.length ? chosen() : 0;
        found.replaceChildren(...known, ...(known.length ? more.filter((part) => part.localName === "div" && !part.querySelector("[href^='/console/ask?question=']")) : more));
        found.removeAttribute("data-old");
        choose(Math.max(0, at));
        told.textContent = links().length === 1 ? "1 result" : links().length + " results";
        if (waits) links()[chosen()]?.click();
      } catch {
        // A later search replaced this one, or the server is away: the pages are shown.
      }
    };

    field.addEventListener("input", find);
    dialog.addEventListener("keydown", (event) => {
      const count = links().length;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step && count) {
        event.preventDefault();
        choose((chosen() + step + count) % count);
      } else if (event.key === "Escape") { // a search field would only be emptied
        event.preventDefault();
        dialog.close();
      } else if (event.key === "Enter") {
        event.preventDefault();
        waits = found.hasAttribute("data-old");
        if (!waits) links()[chosen()]?.click();
      }
    });
    find();
  };

  const letters = { o: "overview", a: "ask", i: "inventory", d: "data", m: "messages", k: "keys", r: "requests", h: "webhooks", w: "wallet", s: "settings" };
  const page = (section) => section && document.querySelector(`#menu a[href="/console${section === "overview" ? "" : "/" + section}"]`);

  const help = () => {
    const rows = [["Ctrl K", "Search"], ["/", "To the page's own search"], ["j, k", "Next and previous row"], ["Enter", "Open the row"], ["?", "These keys"]];
    const pages = Object.entries(letters).map(([letter, section]) => ["g " + letter, page(section)]).filter(([, link]) => link)
      .map(([keys, link]) => [keys, link.textContent]);
    const list = (title, lines) => [element("h3", { textContent: title }), element("dl", { className: "facts" }, ...lines.map(([keys, what]) =>
      element("div", {}, element("dt", {}, element("kbd", { textContent: keys })), element("dd", { textContent: what }))))];
    const close = element("button", { type: "button", className: "quiet", textContent: "Close" });
    close.addEventListener("click", () => close.closest("dialog").close());
    dialogOf("Keys of this page", element("div", { className: "body" },
      element("div", { className: "head" }, element("h2", { textContent: "Keyboard" }), close), ...list("On a page", rows), ...list("Go to", pages)));
  };

  // Rows of the first tight table, by their first link.
  const row = (step) => {
    const links = all(".tight tbody th a");
    if (!links.length) return;
    const at = links.indexOf(document.activeElement);
    const now = at < 0 ? links.findIndex((a) => a.closest("tr[aria-current]")) : at;
    links[now < 0 ? 0 : Math.max(0, Math.min(links.length - 1, now + step))].focus();
  };

  let afterG = false;
  const typing = (e) => e.closest("input, select, textarea, dialog, [contenteditable]");
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      if (!document.querySelector("dialog[open]")) search();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    const went = afterG && page(letters[event.key]);
    afterG = event.key === "g" && !afterG;
    if (went) went.click();
    else if (event.key === "?") help();
    else if (event.key === "j") row(1);
    else if (event.key === "k") row(-1);
    else if (event.key === "/") {
      const field = document.querySelector("main form[role=search] input:not([type=hidden])");
      if (field) { event.preventDefault(); field.focus(); }
    }
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy], [data-copy-text], [data-find]");
    if (!button) return;
    if (button.hasAttribute("data-find")) search();
    else copy(button);
  });

  // A partial update that fails says so where the page says problems.
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    document.getElementById("problem")?.remove();
    document.getElementById("main").prepend(element("p", {
      className: "banner bad", id: "problem", attrs: { role: "alert" },
      textContent: status === 401 || status === 403 ? "You are no longer signed in. Load the page again." : `That did not work (${status}). Load the page again.`,
    }));
  });
  document.addEventListener("htmx:afterSwap", (event) => prepare(event.detail.target.parentElement ?? document));

  for (const button of all("[data-find]")) button.hidden = false;
  prepare(document);
})();
