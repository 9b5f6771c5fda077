// Dialogs of the page's own: each is in the page while it is open.

/** Opens a dialog with this content. */
export function openDialog(className, html) {
  const dialog = Object.assign(document.createElement("dialog"), { className, innerHTML: html });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
