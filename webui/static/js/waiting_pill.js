// The start page's pointer to cards that are out of sight.

const pill = document.querySelector("body.page-home [data-pill]");
const visible = new Set();

const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    visible[isIntersecting ? "add" : "delete"](target);
  }
  point();
});

function point() {
  const waiting = [...document.querySelectorAll("ct-prompt[data-state=pending]")];
  const hidden = waiting.length > 0 && !waiting.some((card) => visible.has(card));
  pill.hidden = !hidden;
  pill.querySelector("span").textContent = waiting.length === 1 ? "1 needs you" : `${waiting.length} need you`;
}

function watch() {
  visible.clear();
  observer.disconnect();
  for (const card of document.querySelectorAll("ct-prompt[data-state=pending]")) observer.observe(card);
  point();
}

if (pill) {
  watch();
  document.addEventListener("clawtap:event", ({ detail }) => detail.data.html && watch());
}
