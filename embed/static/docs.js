// Copying in the reference: <button data-copy="id of the text">.
(() => {
  "use strict";

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
