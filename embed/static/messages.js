// The products that a line of a message offers as one types, and the price of the one that is
// chosen. Without this script the page offers its first products, and the server fills in the
// price of a receipt when it shows the message. What was refused is marked until it is changed.
(() => {
  "use strict";

  const form = document.getElementById("message");
  const goods = document.getElementById("goods");
  if (!form || !goods) return;
  let waiting, running = new AbortController();

  // The only product with a name; of two with it neither is meant more.
  const chosen = (name) => {
    const named = [...goods.options].filter((o) => o.value.toLowerCase() === name.trim().toLowerCase());
    return named.length === 1 ? named[0] : undefined;
  };

  // The price is filled in where none is, or where this script did it for another product.
  const fill = (field) => {
    const price = field.closest(".line").querySelector("[name=price]");
    const option = chosen(field.value);
    if (!option || (price.value && price.value !== price.dataset.filled)) return;
    price.value = option.dataset[goods.dataset.price];
    price.dataset.filled = price.value;
  };

  const find = async (field) => {
    running.abort();
    running = new AbortController();
    try {
      const answer = await fetch(goods.dataset.from + "?item=" + encodeURIComponent(field.value), { signal: running.signal });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      goods.replaceChildren(...[...page.getElementById("goods").options].map((o) => document.importNode(o, true)));
      fill(field);
    } catch {
      // A later search replaced this one, or the server is away: the field is a text.
    }
  };

  // What is being corrected is not marked any more.
  const unmark = (field) => {
    document.getElementById("problem")?.remove();
    if (!field.hasAttribute("aria-invalid")) return;
    field.removeAttribute("aria-invalid");
    document.getElementById(field.id + "-problem")?.remove();
  };

  form.addEventListener("input", (event) => {
    unmark(event.target);
    if (event.target.name !== "item") return;
    fill(event.target);
    clearTimeout(waiting);
    waiting = setTimeout(() => find(event.target), 150);
  }, true);
})();
