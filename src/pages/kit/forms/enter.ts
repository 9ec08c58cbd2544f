/** Fields in which Enter does something of its own, or nothing that a form would send. */
const OTHERS: readonly string[] = ['button', 'submit', 'checkbox', 'radio', 'file'];

/** What a form is sent by: the last button at its foot. */
const BUTTONS = '.dialog-foot .button.primary, .dialog-foot .button.danger, .save-bar .button.primary';

/**
 * Enter in a line of text presses the last button of the listening element that submits its form, as an HTML form
 * would. Fields within a form are its own, and so are those of a window within the element.
 */
export function pressPrimaryOnEnter(event: KeyboardEvent): void {
  const { target, currentTarget: container } = event;
  const hasModifier = event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;
  if (event.key !== 'Enter' || hasModifier || event.isComposing || event.defaultPrevented) return;
  if (!(target instanceof HTMLInputElement) || !(container instanceof HTMLElement)) return;
  const dialog = target.closest('dialog');
  const isOfAnother = dialog !== null && dialog !== container && container.contains(dialog);
  if (OTHERS.includes(target.type) || target.form !== null || isOfAnother) return;
  const buttons = [...container.querySelectorAll<HTMLButtonElement>(BUTTONS)];
  const button = buttons.findLast(
    (each) => each.closest('dialog') === dialog && each.getAttribute('aria-busy') !== 'true',
  );
  if (button === undefined || button.disabled) return;
  event.preventDefault();
  button.click();
}
