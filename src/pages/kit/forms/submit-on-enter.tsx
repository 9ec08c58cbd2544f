import type { VNode } from 'preact';

/**
 * Lets Enter in a field send its form, which a browser does only where the form has a button of its own. It is there beside the
 * button that is seen: this one is hidden, also from screen readers.
 */
export function SubmitOnEnter({ isDisabled = false }: { readonly isDisabled?: boolean }): VNode {
  return <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" disabled={isDisabled} />;
}
