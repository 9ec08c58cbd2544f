/** Keys that no variable of a template has by chance. What a client sends as JSON becomes no variable with such a key. */
const VALUE = '\u0000json';
const ARGUMENTS = '\u0000arguments';

/**
 * JSON text among the variables of a template. It is read where they are rendered, so that the numbers in it print as they
 * are written and keys keep their order; until then it is plain data that can cross to another thread.
 */
export type JsonText = { readonly [VALUE]: string } | { readonly [ARGUMENTS]: string };

/** The variable of a JSON text. Text that is no JSON is the variable itself. */
export function toJsonVariable(text: string): JsonText {
  return { [VALUE]: text };
}

/** The variable of the arguments of a call, by the rule of `toCallArguments`: an object, or the text itself. */
export function toArgumentsVariable(text: string): JsonText {
  return { [ARGUMENTS]: text };
}

/** What of a variable is JSON text, if it is such a one. */
export function readJsonText(
  variable: object,
): { readonly kind: 'value' | 'arguments'; readonly text: string } | undefined {
  if (VALUE in variable) return { kind: 'value', text: String(variable[VALUE]) };
  return ARGUMENTS in variable ? { kind: 'arguments', text: String(variable[ARGUMENTS]) } : undefined;
}
