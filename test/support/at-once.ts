/** What comes of work in parts when nothing is done between them. */
export function atOnce<T>(parts: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = parts.next();
    if (done === true) return value;
  }
}
