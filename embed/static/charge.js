// Polls the state of a charge whose payment is not confirmed yet, and reloads the page
// once the state differs from the one shown.
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
      return undefined; // the next try may succeed
    }
  };

  // A page that still shows the old state after a reload for the new one is not reloaded
  // for that state again, to avoid an endless loop.
  const isNews = (state) => {
    try {
      const news = shown + " " + state;
      if (sessionStorage.getItem(address) === news) return false;
      sessionStorage.setItem(address, news);
    } catch {
      // Without session storage the page is reloaded.
    }
    return true;
  };

  const poll = async () => {
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
    setTimeout(poll, pause);
  };

  say("Waiting for the confirmation. This page updates by itself.");
  setTimeout(poll, pause);
})();
