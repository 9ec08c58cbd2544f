/** Fields in which Enter has its own effect or does not submit a form. */
const OTHERS: readonly string[] = ['button', 'submit', 'checkbox', 'radio', 'file'];

/** The button that submits a form: the last button at its foot. */
const BUTTONS = '.dialog-foot .button.primary, .dialog-foot .button.danger, .save-bar .button.primary';

/**
 * Makes Enter in a line of text press the last button of the listening element that submits its form, as in an HTML
 * form. It ignores fields that belong to a form or to a window within the element.
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
