// Fills in the time zone of this browser on the form of the first account. Whoever has typed
// another keeps it.
(() => {
  "use strict";

  const field = document.getElementById("setup-timezone");
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (field && zone && field.value === field.defaultValue && field.dataset.guess !== undefined) field.value = zone;
})();
