// Shows what is typed into a field of a password, as long as its button is pressed in.
(() => {
  "use strict";

  for (const button of document.querySelectorAll("[data-show]")) {
    const field = document.getElementById(button.dataset.show);
    button.hidden = false;
    button.addEventListener("click", () => {
      const shown = field.type === "password";
      field.type = shown ? "text" : "password";
      button.firstChild.textContent = shown ? "Hide" : "Show";
    });
    field.form?.addEventListener("submit", () => { field.type = "password"; });
  }
})();
