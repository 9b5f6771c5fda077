// Dialogs of the page's own: each is in the page while it is open.

/** Opens a dialog with this name and content. */
export function openDialog(className, ariaLabel, innerHTML) {
  const dialog = Object.assign(document.createElement("dialog"), { className, ariaLabel, innerHTML });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
