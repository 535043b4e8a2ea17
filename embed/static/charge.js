// Watches a charge whose payment is not proven yet: asks for its state, and loads
// the page again once that differs from the one shown.
(() => {
  "use strict";

  const watch = document.getElementById("watch");
  if (!watch) return;
  const { address, state: shown } = watch.dataset;
  const longest = 15_000;
  const end = Date.now() + 600_000;
  let pause = 2_000;

  const say = (text) => { watch.textContent = text; };

  const ask = async () => {
    try {
      const answer = await fetch(address, {
        cache: "no-store", redirect: "error", signal: AbortSignal.timeout(longest),
      });
      return answer.ok ? (await answer.json()).state : undefined;
    } catch {
      return undefined; // the next try may do better
    }
  };

  // A page that still shows the old state after it was loaded again for the new
  // one is not loaded again for the same: it would never end.
  const isNews = (state) => {
    try {
      const news = shown + " " + state;
      if (sessionStorage.getItem(address) === news) return false;
      sessionStorage.setItem(address, news);
    } catch {
      // Without storage there is nothing to remember it by.
    }
    return true;
  };

  const look = async () => {
    const state = await ask();
    if (state && state !== shown && isNews(state)) {
      say("There is news. This page is loaded again.");
      location.reload();
      return;
    }
    if (Date.now() >= end) {
      say("This page no longer looks for news by itself. Load it again to see where the payment stands.");
      return;
    }
    pause = Math.min(pause * 1.5, longest);
    setTimeout(look, pause);
  };

  say("Waiting for the confirmation. This page updates by itself.");
  setTimeout(look, pause);
})();
