// In the reference: copying, with <button data-copy="id of the text">, and "/" for the search.
(() => {
  "use strict";

  document.addEventListener("keydown", (event) => {
    const field = document.getElementById("q");
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || !field || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    field.select();
  });

  for (const button of document.querySelectorAll("[data-copy]")) {
    const name = button.textContent;
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(text.textContent.trim());
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Press Ctrl C";
      }
      setTimeout(() => { button.textContent = name; }, 2_000);
    });
  }
})();
