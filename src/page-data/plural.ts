/** The word for so many things: `request` for 1, `requests` for any other number. `many` absent: `one` with an s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
