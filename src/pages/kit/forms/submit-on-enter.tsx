import type { VNode } from 'preact';

/**
 * Lets Enter in a field submit its form. A browser does this only if the form contains a submit button. This button is
 * hidden, also from screen readers, and supplements the visible one.
 */
export function SubmitOnEnter({ isDisabled = false }: { readonly isDisabled?: boolean }): VNode {
  return <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" disabled={isDisabled} />;
}
