// Texts of operators and clients, as they are kept.

import { invalidValue } from '../base/index.js';

/** No control characters: names are shown on terminals and pages. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** A name. Errors: `invalid_value`. */
export function checkName(name: string, field = 'name'): string {
  if (NAME.test(name) && name.trim() === name) return name;
  throw invalidValue(
    field,
    name,
    'text of 1 to 200 characters without control characters and without blanks around it',
  );
}

/** A currency. Errors: `invalid_value`. */
export function checkCurrency(currency: string): string {
  if (/^[A-Z]{3}$/.test(currency)) return currency;
  throw invalidValue('currency', currency, "three capital letters of ISO 4217, such as 'EUR'");
}
