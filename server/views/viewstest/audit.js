// Checks the rendered page. The value of this script is an audit of tab.go.
(() => {
  const shown = (e) => e.checkVisibility({ visibilityProperty: true }) &&
    !e.closest(".unseen") && !(e.closest(".skip") && document.activeElement !== e);
  const name = (e) => `<${e.localName} class="${e.className}" id="${e.id}"> ${(e.textContent || e.value || "").trim().slice(0, 40)}`;

  const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const numbers = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const ratio = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };

  // The console and the reference are dense where it is used with a mouse: WCAG 2.2, 2.5.8. Elsewhere a
  // finger must find every target.
  const least = document.querySelector("body.console, .reference") && innerWidth > 832 ? 23.5 : 43.5;
  const lowContrast = [], smallTarget = [], cut = [], inner = [];
  for (const e of document.body.querySelectorAll("*")) {
    if (!shown(e)) continue;
    const style = getComputedStyle(e), box = e.getBoundingClientRect();

    const text = [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim()) || e.localName === "input";
    if (text) {
      const got = ratio(numbers(style.color), ground(e));
      if (got < 4.5) lowContrast.push(`${got.toFixed(2)} ${name(e)}`);
    }

    // Links within a sentence need no minimum size.
    const target = e.matches("button, summary, input:not([type=hidden], [type=checkbox]), a") && !(e.localName === "a" && e.closest("p, dd") && !e.matches(".button"));
    if (target && (box.height < least || box.width < least)) smallTarget.push(`${box.width}x${box.height} ${name(e)}`);
    if (e.matches(".check") && box.height < least) smallTarget.push(name(e));

    // The page scrolls, and nothing that is read in it does so for itself.
    if (e.closest("main") && !e.closest("nav") && e.localName !== "textarea" && ["auto", "scroll"].includes(style.overflowY) && e.scrollHeight > e.clientHeight + 1) inner.push(`${e.scrollHeight - e.clientHeight} ${name(e)}`);

    const scrolls = style.overflowX !== "visible";
    if (!scrolls && !e.closest(".scroll") && style.display !== "inline" && e.scrollWidth > e.clientWidth + 1) cut.push(`${e.scrollWidth - e.clientWidth} ${name(e)}`);
  }
  return {
    overflow: document.scrollingElement.scrollWidth - innerWidth,
    violations: window.violations,
    lowContrast, smallTarget, cut, inner,
    unstyled: !["flex", "grid"].includes(getComputedStyle(document.body).display),
  };
})()
