// A photo is made smaller before it is sent, shown, and looked at at once. Without this
// script it is sent as it is, with the button "Find the product".
(() => {
  "use strict";

  const field = document.getElementById("photo");
  const shot = document.getElementById("shot");
  if (!field || !shot || !window.createImageBitmap || !window.DataTransfer) return;
  const longest = 2048; // pixels, which is what the server works with
  const shown = 480;
  field.accept = "image/*"; // any picture that this browser reads becomes a JPEG

  const draw = (canvas, picture, side) => {
    const scale = Math.min(1, side / Math.max(picture.width, picture.height));
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  };

  // The buttons open the camera, or the pictures; the field itself is not seen then.
  const place = field.closest(".scan");
  place?.classList.add("scripted");
  for (const button of document.querySelectorAll("button[data-photo]")) button.hidden = false;
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-photo]");
    if (!button) return;
    event.preventDefault();
    field.toggleAttribute("capture", button.dataset.photo === "take");
    if (field.hasAttribute("capture")) field.setAttribute("capture", "environment");
    field.value = ""; // so that the same picture is looked at again
    field.click();
  });

  let own = false; // the change is of this script
  field.addEventListener("change", async () => {
    const file = field.files[0];
    if (own || !file) return;
    try {
      const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
      draw(shot, picture, shown);
      shot.hidden = false;
      if (file.type !== "image/jpeg" || file.size > 1_000_000) {
        const canvas = document.createElement("canvas");
        draw(canvas, picture, longest);
        const small = await new Promise((done) => { canvas.toBlob(done, "image/jpeg", 0.92); });
        const files = new DataTransfer();
        files.items.add(new File([small], "photo.jpg", { type: "image/jpeg" }));
        own = true;
        field.files = files.files;
        own = false;
      }
    } catch {
      shot.hidden = true; // the server says what is wrong with it
    }
    field.form.requestSubmit();
  });
})();
